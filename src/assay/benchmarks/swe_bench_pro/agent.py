"""An agent with a shell in the repository: one block of commands in each reply."""

import re
from collections.abc import Callable
from typing import Literal

from assay.benchmarks.swe_bench_pro.prompts import DONE, first_prompt, not_one_block, observation
from assay.domain.benchmark import Cue
from assay.domain.programs.containers import Container
from assay.domain.programs.sandbox import ExecResult, Status
from assay.engine.agents.turns import Turns, TurnsOverError

AgentEnd = Literal["done", "time", "steps", "tokens", "unusable_replies"]

COMMAND_S = 300.0
MOST_UNUSABLE = 10
_BLOCK = re.compile(r"^```(?:bash|sh|shell)[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_OUTPUT_BYTES = 4 * 1024 * 1024
_BLOCK_FILE = "/tmp/.commands"  # noqa: S108 # of the container
_KILLED, _TIMED_OUT = 137, 124


async def work(
    problem: str, container: Container, turns: Turns, cue_at: Callable[[int], Cue]
) -> AgentEnd | str:
    """Until the agent submits or a limit is reached; otherwise what ended the container."""
    prompt = first_prompt(problem, command_s=COMMAND_S)
    unusable = 0
    try:
        while True:
            reply = await turns.reply(prompt, cue=cue_at(turns.steps))
            blocks = _BLOCK.findall(reply.answer)
            if len(blocks) != 1:
                unusable += 1
                if unusable >= MOST_UNUSABLE:
                    return "unusable_replies"
                prompt = not_one_block(len(blocks))
                continue
            unusable = 0
            if blocks[0].strip() == DONE:
                return "done"
            with turns.acting():
                result = await _run(container, blocks[0], within_s=min(COMMAND_S, turns.left_s))
            if result.status not in (Status.OK, Status.NONZERO, Status.MEMORY_LIMIT, Status.PROCESS_LIMIT):
                return result.status.value
            prompt = _observed(result)
    except TurnsOverError as error:
        return error.ended


async def _run(container: Container, commands: str, *, within_s: float) -> ExecResult:
    """Everything that the block started ends with it, unless it has left the session."""
    limit = ["timeout", "--kill-after=5", f"{max(1.0, within_s):.0f}"]
    text = commands.replace("\0", "").encode("utf-8", "replace")
    # Both streams in the order in which they were written, and no input to wait for.
    return await container.exec(
        ["bash", "-c", f"cat > {_BLOCK_FILE}; exec {' '.join(limit)} bash {_BLOCK_FILE} 2>&1 < /dev/null"],
        wall_s=within_s + 60,
        stdin=text,
        cwd="/app",
        output_bytes=_OUTPUT_BYTES,
    )


def _observed(result: ExecResult) -> str:
    output = (result.stdout + result.stderr).decode("utf-8", "replace")
    if result.status not in (Status.OK, Status.NONZERO):
        return observation(None, output, ended=f"ended by the {result.status.value.replace('_', ' ')}")
    ended = "ended by the time limit" if result.exit_code in (_TIMED_OUT, _KILLED) else ""
    return observation(result.exit_code, output, ended=ended)
