"""Who works in the repository: our own agent, or the user's."""

from collections.abc import Awaitable, Callable

from assay.benchmarks.swe_bench_pro import agent as shell_agent
from assay.benchmarks.swe_bench_pro.instances import Instance
from assay.benchmarks.swe_bench_pro.prompts import DONE
from assay.domain.agent import HostedAgent
from assay.domain.benchmark import Ask, Cue
from assay.domain.programs.containers import Container
from assay.engine.agents.own_agent import AgentJob, AgentWork, work
from assay.engine.agents.turns import TurnLimits, Turns

LIMITS = TurnLimits(steps=250, wall_s=4 * 3600.0)
_END = "END_OF_THE_PATCH"


Working = Callable[[Container], Awaitable[AgentWork]]


def official(instance: Instance, ask: Ask) -> Working:
    async def working(container: Container) -> AgentWork:
        turns = Turns(ask, LIMITS)
        ended = await shell_agent.work(
            instance.problem, container, turns, lambda reply: _cue(instance, reply)
        )
        return AgentWork(ended, [message.to_json() for message in turns.log], turns.steps, turns.used_s)

    return working


def own(instance: Instance, ask: Ask, agent: HostedAgent) -> Working:
    """Simulated models reply with the authors' patch, as commands."""
    cue = Cue(right=_applied(instance), wrong="exit 0\n")
    job = AgentJob(instance.problem, LIMITS, cwd="/app", cue=cue)

    async def working(container: Container) -> AgentWork:
        return await work(agent, job, container, ask)

    return working


def _cue(instance: Instance, reply: int) -> Cue:
    done = f"```bash\n{DONE}\n```"
    return Cue(right=done if reply else f"```bash\n{_applied(instance)}```", wrong=done)


def _applied(instance: Instance) -> str:
    return f"git apply <<'{_END}'\n{instance.patch}{_END}\n"
