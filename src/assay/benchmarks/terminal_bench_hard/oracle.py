"""Replies that simulated models know: the authors' solution, typed; and doing nothing."""

import json

from assay.benchmarks.terminal_bench_hard.task_folder import TerminalTask
from assay.domain.benchmark import Cue
from assay.domain.calls.messages import Json
from assay.domain.calls.transcript import transcript_text

_END = "END_OF_THE_SOLUTION"


def oracle_cue(task: TerminalTask, reply: int) -> str | None:
    """First the solution, then twice that the task is done."""
    if task.solution is None:
        return None
    if reply > 0:
        return _reply([], is_done=True)
    # Nothing is fetched without a network, and our own solutions take no second.
    solution = task.solution if task.solution.endswith("\n") else f"{task.solution}\n"
    place = "/tmp/assay-solution.sh"  # noqa: S108 # of the container
    return _reply(
        [
            {"keystrokes": f"cat > {place} <<'{_END}'\n{solution}{_END}\n", "duration": 0.2},
            {"keystrokes": f"bash {place}\n", "duration": 60.0 if task.has_network else 1.0},
        ]
    )


def idle_cue() -> str:
    return _reply([], is_done=True)


def whole_cue(task: TerminalTask) -> Cue:
    """A whole trial that ended well, and one that did not."""
    return Cue(right=_trial(task, is_solved=True), wrong=_trial(task, is_solved=False))


def _trial(task: TerminalTask, *, is_solved: bool) -> str:
    word = "PASSED" if is_solved else "FAILED"
    names = sorted(task.test_names()) or ["test_it"]
    lines = "\n".join(f"{word} test_outputs.py::{name}" for name in names)
    tests: dict[str, Json] = {
        "is_in_time": True,
        "status": "ok",
        "reward": float(is_solved),
        "screen": f"==== short test summary info ====\n{lines}\n",
    }
    return transcript_text([], layout=task.layout, parser="pytest", agent_ended="done", tests=tests)


def _reply(commands: list[Json], *, is_done: bool = False) -> str:
    return json.dumps({"analysis": "", "plan": "", "commands": commands, "task_complete": is_done})
