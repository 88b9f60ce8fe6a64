"""Grades in another process what would block the event loop, and so falsify the timings measured on it."""

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache

from assay.domain.benchmark import Benchmark, Grade, Item, Services
from assay.domain.errors import GraderError
from assay.domain.messages import Completion
from assay.engine.grading.grade import DirectGrader
from assay.engine.judging.judges import JudgeCalls
from assay.engine.planning.catalogue import Catalogue

GRADING_TIMEOUT_S = 60.0


class GradingPool:
    """Processes that grade for installed benchmarks; started on first use."""

    def __init__(self, *, processes: int = 1, timeout_s: float = GRADING_TIMEOUT_S) -> None:
        self._processes = processes
        self._timeout_s = timeout_s
        self._pool: ProcessPoolExecutor | None = None

    async def grade(self, benchmark: str, item: Item, completion: Completion) -> Grade:
        if self._pool is None:
            # Not fork: the parent has threads and an event loop.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._processes, mp_context=context)
        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.get_running_loop().run_in_executor(
                    self._pool, _grade_here, benchmark, item, completion
                )
        except TimeoutError as error:
            self._kill()
            raise GraderError(f"grading took more than {self._timeout_s:g} s") from error
        except BrokenProcessPool as error:
            self._kill()
            raise GraderError("the grading process ended unexpectedly") from error

    def close(self) -> None:
        self._kill()

    def _kill(self) -> None:
        pool, self._pool = self._pool, None
        if pool is None:
            return
        # A stuck grader never returns, so its process is killed and not waited for.
        for process in list(pool._processes.values()):  # noqa: SLF001
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)


class PooledGrader:
    def __init__(self, benchmark: Benchmark, pool: GradingPool) -> None:
        self._name = benchmark.card.name
        self._pool = pool

    async def grade(self, item: Item, completion: Completion, judge_calls: JudgeCalls | None = None) -> Grade:
        del judge_calls  # no judge is asked from another process
        return await self._pool.grade(self._name, item, completion)


@cache
def _catalogue() -> Catalogue:
    return Catalogue.installed()


def _grade_here(benchmark: str, item: Item, completion: Completion) -> Grade:
    grader = DirectGrader(_catalogue().get(benchmark), Services())
    return asyncio.run(grader.grade(item, completion))
