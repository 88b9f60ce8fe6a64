"""Who works on a task between its start and its tests: the official agent, or a user's own."""

from collections.abc import Awaitable, Callable

from assay.benchmarks.terminal_bench_hard.agent import CONTEXT_TOKENS, Terminus
from assay.benchmarks.terminal_bench_hard.task_folder import TerminalTask
from assay.benchmarks.terminal_bench_hard.terminal import Terminal, TerminalLostError
from assay.domain.agent import HostedAgent
from assay.domain.benchmark import Ask, Cue
from assay.domain.programs.containers import Container
from assay.domain.programs.sandbox import Status
from assay.engine.agents.own_agent import AgentJob, AgentWork, work
from assay.engine.agents.turns import TurnLimits, Turns

MOST_STEPS = 500


Working = Callable[[Container, Terminal], Awaitable[AgentWork]]


def official(
    task: TerminalTask, ask: Ask, *, cue_at: Callable[[int], Cue], context_tokens: int = CONTEXT_TOKENS
) -> Working:
    async def working(container: Container, terminal: Terminal) -> AgentWork:  # noqa: ARG001 - it has the terminal
        turns = Turns(ask, _limits(task))
        agent = Terminus(task.instruction, terminal, turns, cue_at, context_tokens)
        try:
            ended: str = await agent.work()
        except TerminalLostError as error:
            ended = error.status.value if error.status is not Status.NONZERO else "session_ended"
        return AgentWork(ended, [message.to_json() for message in turns.log], turns.steps, turns.used_s)

    return working


def own(task: TerminalTask, ask: Ask, agent: HostedAgent) -> Working:
    """As the image's user; simulated models reply with the authors' solution."""
    job = AgentJob(
        task.instruction, _limits(task), is_root=False, cue=Cue(right=task.solution, wrong="exit 0\n")
    )

    async def working(container: Container, terminal: Terminal) -> AgentWork:  # noqa: ARG001 - it has a shell
        return await work(agent, job, container, ask)

    return working


def _limits(task: TerminalTask) -> TurnLimits:
    return TurnLimits(MOST_STEPS, task.agent_s)
