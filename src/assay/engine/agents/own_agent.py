"""Runs a user's own agent in the container of a task, with the model behind a proxy."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.domain.agent import HostedAgent
from assay.domain.benchmark import Ask, Cue
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError
from assay.domain.programs.containers import Container, PlacedFile
from assay.domain.programs.sandbox import ExecResult, Status
from assay.engine.agents.model_proxy import ModelProxy
from assay.engine.agents.turns import TurnLimits

AGENT_FOLDER = "/agent"
_PLACE = "/assay"
_INSTRUCTION, _LOG, _PID = f"{_PLACE}/instruction.md", f"{_PLACE}/out/agent.log", f"{_PLACE}/out/pid"
_PREPARE = f"mkdir -p {_PLACE}/out && chmod 777 {_PLACE}/out"
# The shell leads a group of its own, in which everything is that does not leave it.
_START = f'echo $$ > {_PID}; exec sh -c "$0" > {_LOG} 2>&1 < /dev/null'
_STOP = f"""
read -r group < {_PID}
case "$group" in ''|*[!0-9]*|0|1) exit;; esac
kill -s TERM -- "-$group"
for _ in 1 2 3 4 5; do kill -s 0 -- "-$group" || exit; sleep 1; done
kill -s KILL -- "-$group"
"""
_CALL_S = 60.0
_GRACE_S = 10.0
_LONGEST_S = 24 * 3600.0
_LOOK_S, _SHORTEST_S = 5.0, 0.05
_TAIL_BYTES = 20_000
# In a single string of an environment; a longer instruction is in its file alone.
_MOST_VARIABLE_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class AgentJob:
    """What the agent is told, and as whom and where its command is run; `cue` is for simulated models."""

    instruction: str
    limits: TurnLimits
    cwd: str | None = None
    is_root: bool = True
    cue: Cue = Cue()


@dataclass(frozen=True, slots=True)
class AgentWork:
    """What an agent did; `ended` is `time` where its time limit ended it.

    An own agent's is `done` or `failed` by its exit code, or what ended the container.
    """

    ended: str
    messages: Sequence[Mapping[str, Json]]
    calls: int
    used_s: float
    facts: Mapping[str, Json] = field(default_factory=dict[str, Json])


async def work(agent: HostedAgent, job: AgentJob, container: Container, ask: Ask) -> AgentWork:
    """Until the command ends or its time is over; raises what keeps the model from being asked."""
    await _placed(agent, job, container)
    proxy = ModelProxy(agent, ask, job.limits, cue=job.cue)
    async with container.serving(proxy.answer) as address:
        ended, exit_code = await _run(agent, job, container, proxy, address)
    facts: dict[str, Json] = {"agent": agent.loaded.label, "exit_code": exit_code}
    if proxy.limit is not None:
        facts["limit_reached"] = proxy.limit
    if proxy.log.is_cut:
        facts["is_log_cut"] = True
    facts["agent_output"] = await _output(container)
    return AgentWork(ended, proxy.log.messages, proxy.calls, proxy.used_s, facts)


async def _placed(agent: HostedAgent, job: AgentJob, container: Container) -> None:
    made = await container.exec(["sh", "-c", _PREPARE], wall_s=_CALL_S)
    if made.status is not Status.OK:
        said = made.stderr.decode("utf-8", "replace").strip()[-300:]
        raise SandboxError(f"the folder of the agent could not be made in the task's container: {said}")
    content = job.instruction.encode("utf-8", "replace")
    await container.put(_PLACE, {"instruction.md": PlacedFile(content)})
    if agent.loaded.files:
        await container.put(AGENT_FOLDER, agent.loaded.files)


async def _run(
    agent: HostedAgent, job: AgentJob, container: Container, proxy: ModelProxy, address: str
) -> tuple[str, int | None]:
    """How the command ended, and its exit code."""
    command = agent.loaded.agent.command
    running = asyncio.create_task(
        container.exec(
            ["sh", "-c", _START, command],
            wall_s=_LONGEST_S,
            cwd=job.cwd,
            env=_variables(agent, job, proxy, address),
            is_root=job.is_root,
        )
    )
    failing = asyncio.create_task(proxy.failed.wait())
    try:
        while not running.done() and proxy.failure is None and proxy.left_s > 0:
            # At least a moment: the time stands still while the model is asked.
            within_s = min(max(proxy.left_s, _SHORTEST_S), _LOOK_S)
            await asyncio.wait({running, failing}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        if proxy.failure is not None:
            raise proxy.failure
        is_late = not running.done()
        if is_late:
            await _stopped(container, running)
        result = running.result() if running.done() else None
    finally:
        running.cancel()
        failing.cancel()
        await asyncio.gather(running, failing, return_exceptions=True)
    return _ending(result, is_late=is_late)


def _variables(agent: HostedAgent, job: AgentJob, proxy: ModelProxy, address: str) -> dict[str, str]:
    instruction = job.instruction.replace("\0", "")
    variables = {
        "OPENAI_BASE_URL": f"{address}/v1",
        "OPENAI_API_KEY": proxy.token,
        "ASSAY_MODEL": agent.model,
        "ASSAY_INSTRUCTION_FILE": _INSTRUCTION,
    }
    if len(instruction.encode("utf-8", "replace")) <= _MOST_VARIABLE_BYTES:
        variables["ASSAY_INSTRUCTION"] = instruction
    return variables


async def _stopped(container: Container, running: "asyncio.Task[ExecResult]") -> None:
    """End what the command started; what has left its group runs on, as after any agent."""
    await container.exec(["sh", "-c", _STOP], wall_s=_CALL_S)
    await asyncio.wait({running}, timeout=_GRACE_S)


def _ending(result: ExecResult | None, *, is_late: bool) -> tuple[str, int | None]:
    if result is not None and result.status not in (Status.OK, Status.NONZERO, Status.SIGNAL):
        return result.status.value, None
    if is_late:
        return "time", None
    if result is None or result.status is Status.SIGNAL:
        return "signal", None
    return ("done" if result.status is Status.OK else "failed"), result.exit_code


async def _output(container: Container) -> str:
    shown = await container.exec(["tail", "-c", str(_TAIL_BYTES), _LOG], wall_s=_CALL_S)
    return shown.stdout.decode("utf-8", "replace") if shown.status is Status.OK else ""
