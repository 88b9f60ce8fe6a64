"""Grades in other processes what would block the event loop, and so falsify the timings measured on it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from queue import LifoQueue
from typing import TypeVar

from assay.domain.benchmark import Benchmark, Grade, Isolated, Item, Services
from assay.domain.calls.messages import Completion
from assay.domain.errors import GraderError
from assay.engine.grading.grade import DirectGrader, Grader
from assay.engine.judging.judges import JudgeCalls
from assay.engine.limited_process import LimitedProcess, LimitExceededError
from assay.engine.planning.catalogue import Catalogue

T = TypeVar("T")
GRADING_TIMEOUT_S = 60.0
# For what a user wrote. Rules that are meant to be met take milliseconds.
RULE_TIMEOUT_S = 10.0
_TRIES = 2
# A longer answer would hold up the event loop even where grading takes a moment.
_LONG_CHARACTERS = 1_000_000


class GradingPool:
    """Processes that grade; each is started when no other one is free.

    What exceeds a limit, or ends its process, is tried once more in a new process: it may have met with the
    remains of what was graded before. Other calls only wait meanwhile.
    """

    def __init__(self, *, processes: int = 2, timeout_s: float = RULE_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._processes = [LimitedProcess() for _ in range(processes)]
        # Last in, first out: a process that runs already is taken before one that would have to be started.
        self._free: LifoQueue[LimitedProcess] = LifoQueue()
        for process in self._processes:
            self._free.put(process)
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="grading")

    def one_at_a_time(self, *, timeout_s: float | None = None) -> Isolated:
        """For one evaluation: its calls queue among themselves, and leave room for other evaluations."""
        turn = asyncio.Lock()

        async def call(function: Callable[..., T], *arguments: object) -> T:
            async with turn:
                work = partial(self._call, function, arguments, timeout_s or self._timeout_s)
                return await asyncio.get_running_loop().run_in_executor(self._threads, work)

        return call

    def call(self, function: Callable[..., T], *arguments: object) -> T:
        """From a thread that may wait; raises what the function raises, or GraderError."""
        return self._threads.submit(self._call, function, arguments, self._timeout_s).result()

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.close()

    def _call(self, function: Callable[..., T], arguments: tuple[object, ...], timeout_s: float) -> T:
        process = self._free.get()
        try:
            for _ in range(_TRIES - 1):
                try:
                    return process.call(function, *arguments, timeout_s=timeout_s)
                except LimitExceededError:
                    continue
            return process.call(function, *arguments, timeout_s=timeout_s)
        except LimitExceededError as error:
            raise GraderError(f"grading failed {_TRIES} times: {error}") from error
        finally:
            self._free.put(process)


class PooledGrader:
    def __init__(self, benchmark: Benchmark, pool: GradingPool) -> None:
        self._name = benchmark.card.name
        self._isolated = pool.one_at_a_time(timeout_s=GRADING_TIMEOUT_S)

    async def grade(self, item: Item, completion: Completion, judge_calls: JudgeCalls | None = None) -> Grade:
        del judge_calls  # no judge is asked from another process
        return await self._isolated(_grade_here, self._name, item, completion)


class LongAnswersPooled:
    """Grades long answers in another process, and the others here."""

    def __init__(self, here: Grader, elsewhere: PooledGrader) -> None:
        self._here = here
        self._elsewhere = elsewhere

    async def grade(self, item: Item, completion: Completion, judge_calls: JudgeCalls | None = None) -> Grade:
        grader = self._here if len(completion.answer) <= _LONG_CHARACTERS else self._elsewhere
        return await grader.grade(item, completion, judge_calls)


@cache
def _catalogue() -> Catalogue:
    return Catalogue.installed()


def _grade_here(benchmark: str, item: Item, completion: Completion) -> Grade:
    grader = DirectGrader(_catalogue().get(benchmark), Services())
    return asyncio.run(grader.grade(item, completion))
