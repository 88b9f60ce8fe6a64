"""Proves that tasks can be solved, and that neither the given files nor planted wrong solutions pass."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass

from assay.benchmarks.code_catalogue.running import TestRun, run_tests
from assay.benchmarks.code_catalogue.task import toolchain_of
from assay.benchmarks.code_catalogue.task_folder import Task
from assay.domain.benchmark import Prepared
from assay.domain.programs.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class Check:
    """One set of files for a task: the `solution`, the given `workspace`, or `wrong/<name>`."""

    task: Task
    files: str
    ran: TestRun

    @property
    def should_pass(self) -> bool:
        return self.files == "solution"

    @property
    def is_right(self) -> bool:
        """A planted wrong solution must be found out by a test: one that cannot be built shows nothing."""
        is_planted = not self.should_pass and self.files != "workspace"
        return self.ran.has_passed == self.should_pass and (self.ran.is_built or not is_planted)


async def selftest(
    tasks: Sequence[Task], *, sandbox: Sandbox, prepared: Prepared, at_once: int
) -> AsyncGenerator[Check]:
    """Every check of every task, as they end."""
    places = asyncio.Semaphore(at_once)

    async def checked(task: Task, name: str, files: Mapping[str, str]) -> Check:
        async with places:
            toolchain = await asyncio.to_thread(toolchain_of, task, prepared)
            encoded = {path: text.encode() for path, text in files.items()}
            return Check(task, name, await run_tests(task, encoded, sandbox=sandbox, toolchain=toolchain))

    running = [
        asyncio.create_task(checked(task, name, files))
        for task in tasks
        for name, files in _checked_files(task).items()
    ]
    try:
        for one in asyncio.as_completed(running):
            yield await one
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _checked_files(task: Task) -> dict[str, Mapping[str, str]]:
    wrong = {f"wrong/{name}": files for name, files in task.wrong.items()}
    return {"solution": {**task.workspace, **task.solution}, "workspace": task.workspace, **wrong}
