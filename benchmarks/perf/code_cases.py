"""LiveCodeBench executions per core: through the product's own path, against a fresh interpreter per case.

Run with: python -m benchmarks.perf.code_cases
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median

from assay.benchmarks.livecodebench.grading import run_tests, source_of
from assay.benchmarks.livecodebench.rows import Test
from assay.bootstrap import grading_services
from assay.domain.benchmark import Services
from assay.settings import Settings

PROGRAM = "a, b = map(int, input().split())\nprint(a + b)"
CASES = 300
FRESH_CASES = 60
ROUNDS = 5


def main() -> None:
    # Both sides on one processor, so that the figures are per core.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    asyncio.run(_measure())


async def _measure() -> None:
    tests = [Test(f"{n} {n + 1}\n", str(2 * n + 1)) for n in range(CASES)]
    source = source_of(PROGRAM, None)
    ours: list[float] = []
    fresh: list[float] = []
    async with grading_services(Settings()) as services:
        await _once(source, tests[:5], services)
        # In turns, so that whatever else the machine does slows both.
        for _ in range(ROUNDS):
            began = time.perf_counter()
            await _once(source, tests, services)
            ours.append(CASES / (time.perf_counter() - began))
            fresh.append(_fresh(source, tests[:FRESH_CASES]))
    print(f"in the sandbox, cases per second and core: {', '.join(f'{one:.0f}' for one in ours)}")
    print(f"fresh interpreters per second and core:    {', '.join(f'{one:.0f}' for one in fresh)}")
    print(f"ratio of the medians: {median(ours) / median(fresh):.1f}")


async def _once(source: str, tests: Sequence[Test], services: Services) -> None:
    ran = await run_tests(source, None, tests, services)
    assert ran.failure is None, ran.failure


def _fresh(source: str, tests: Sequence[Test]) -> float:
    """The same harness in a new interpreter for each case, without any sandbox."""
    began = time.perf_counter()
    for test in tests:
        subprocess.run(
            [sys.executable, "-c", source], input=test.given.encode(), capture_output=True, check=True
        )
    return len(tests) / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
