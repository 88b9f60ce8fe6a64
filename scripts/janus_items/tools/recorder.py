"""Solves a tool task by calling the tools, and writes down the calls and the answer."""

import copy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.benchmarks.janus.tools.definitions import FUNCTIONS, RUN_PYTHON
from assay.benchmarks.janus.tools.world import World
from scripts.janus_items.task import Task
from scripts.janus_items.tools.world import world

Entry = dict[str, Any]


@dataclass
class Solution:
    """Each call is a turn of its own, but those made with `together`."""

    world: World = field(default_factory=lambda: World(**copy.deepcopy(world())))
    turns: list[list[Entry]] = field(default_factory=list[list[Entry]])
    free_refusals: int = 0
    allowed: tuple[str, ...] = ()

    def call(self, tool: str, *, open: Sequence[str] = (), **arguments: Any) -> Any:  # noqa: A002
        """The result; `open` names the arguments that may be anything."""
        self.turns.append([_written(tool, arguments, open)])
        return self._result(tool, arguments)

    def together(self, tool: str, *calls: Entry) -> list[Any]:
        self.turns.append([_written(tool, one, ()) for one in calls])
        return [self._result(tool, one) for one in calls]

    def also(self, tool: str, **arguments: Any) -> Any:
        """In the same turn as the call before."""
        self.turns[-1].append(_written(tool, arguments, ()))
        return self._result(tool, arguments)

    def alternative(self, tool: str, *, open: Sequence[str] = (), **arguments: Any) -> None:  # noqa: A002
        """Another call that does as well as the one before."""
        self.turns[-1][-1].setdefault("alternatives", []).append(_written(tool, arguments, open))

    def program(self, code: str) -> str:
        """What the program prints; any program may be run in its place."""
        return str(self.call(RUN_PYTHON, open=["code"], code=code)).strip()

    def _result(self, tool: str, arguments: Entry) -> Any:
        if tool == RUN_PYTHON:
            return _printed(arguments["code"], self.world.files)
        defaults = {
            "search_documents": {"limit": 3},
            "list_files": {"folder": ""},
            "print_file": {"copies": 1},
        }
        return FUNCTIONS[tool](self.world, **{**defaults.get(tool, {}), **arguments})


Solver = Callable[[Solution], Any]


@dataclass(frozen=True)
class ToolTask:
    prompt: str
    tools: str
    solve: Solver
    accept: tuple[str, ...] = ()

    def written(self, task_type: str) -> Task:
        solution = Solution()
        answer = self.solve(solution)
        evaluation: Entry = {"calls": solution.turns}
        if solution.free_refusals:
            evaluation["free_refusals"] = solution.free_refusals
        if solution.allowed:
            evaluation["allowed"] = list(solution.allowed)
        if self.accept:
            evaluation["accept"] = {"Answer": list(self.accept)}
        return {
            "task_type": task_type,
            "prompt": self.prompt,
            "available_tools": self.tools.split(),
            "expected_answer": answer,
            "evaluation": evaluation,
        }


def _written(tool: str, arguments: Entry, open_: Sequence[str]) -> Entry:
    call: Entry = {"function": tool, "arguments": arguments}
    return {**call, "open": list(open_)} if open_ else call


def _printed(code: str, files: dict[str, str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        done = subprocess.run(  # noqa: S603 - our own programs
            [sys.executable, "-I", "-c", code], cwd=folder, capture_output=True, text=True, check=True
        )
    return done.stdout
