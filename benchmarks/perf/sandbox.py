"""What running code safely costs: cases per second, the start of a program, and a fresh interpreter per case.

    python -m benchmarks.perf.sandbox [--cases 1000] [--starts 150]

Everything runs on one processor. The figures by processor time do not depend on what else the machine does;
those by the clock do.
"""

import argparse
import asyncio
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from assay.adapters.sandbox.local_backend import LocalBackend, LocalOptions
from assay.domain.programs.sandbox import Limits, SandboxSession, Spec, Status
from assay.engine.sandbox.selected import SelectedSandbox
from assay.engine.sandbox.selection import Choice

_BURSTS = 10
LIMITS = Limits(cpu_s=10, wall_s=30)
# What programs for contests begin with.
PRELUDE = (
    "import bisect, collections, copy, datetime, decimal, fractions, functools, heapq, io, itertools, json,"
    " math, operator, random, re, statistics, string, sys, typing\n"
)
PROGRAM = PRELUDE + "a, b = map(int, sys.stdin.read().split())\nprint(a + b)\n"
PRELOADED = tuple(PRELUDE.removeprefix("import ").replace("\n", "").split(", "))


class Clock:
    """Seconds by the clock, and processor seconds of the service and of everything in its slot.

    Without a control group nobody counts the latter.
    """

    def __init__(self, groups: list[Path]) -> None:
        self._groups = groups
        self._began = (time.perf_counter(), self._cpu_s())

    def _cpu_s(self) -> float:
        total = time.process_time() if self._groups else math.nan
        for folder in self._groups:
            if (usage := folder / "cpuacct.usage").exists():
                total += int(usage.read_text()) / 1e9
            elif (stat := folder / "cpu.stat").exists():
                total += int(stat.read_text().split()[1]) / 1e6
        return total

    def elapsed(self) -> tuple[float, float]:
        return time.perf_counter() - self._began[0], self._cpu_s() - self._began[1]


def slot_groups() -> list[Path]:
    """Control groups of the slot whose supervisor is a child of this process."""
    own = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    for record in LocalOptions.default().root.glob("*.json"):
        groups = [Path(one) for one in json.loads(record.read_text())]
        if groups and set(own) & set((groups[0] / "cgroup.procs").read_text().split()):
            return groups
    return []


async def cases(session: SandboxSession, count: int) -> None:
    inputs = [f"{number} 5".encode() for number in range(count)]
    number = 0
    async for result in session.exec_many(PROGRAM, inputs):
        assert result.stdout == b"%d\n" % (number + 5), result
        number += 1


async def fresh(session: SandboxSession, count: int) -> None:
    """The same cases, each by an interpreter of its own in the same sandbox."""
    await session.put({"main.py": PROGRAM.encode()})
    for number in range(count):
        result = await session.exec(["/usr/bin/python3", "-I", "main.py"], stdin=f"{number} 5".encode())
        assert result.stdout == b"%d\n" % (number + 5), result


async def starts(session: SandboxSession, count: int) -> list[float]:
    took: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        result = await session.exec(["/bin/true"])
        took.append(time.perf_counter() - began)
        assert result.status is Status.OK
    return took


def bare_starts(count: int) -> list[float]:
    took: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        subprocess.run(["/bin/true"], check=True, preexec_fn=os.getpid)
        took.append(time.perf_counter() - began)
    return took


async def rates(
    work: Callable[[SandboxSession, int], Awaitable[None]], session: SandboxSession, count: int
) -> tuple[float, float]:
    """Cases per second by the clock, the best burst of a busy machine, and per second of processor time."""
    await work(session, 3)
    bursts: list[tuple[float, float]] = []
    for _ in range(_BURSTS):
        clock = Clock(slot_groups())
        await work(session, count // _BURSTS)
        bursts.append(clock.elapsed())
    size = count // _BURSTS
    return size / min(took for took, _ in bursts), count / sum(cpu for _, cpu in bursts)


async def measure(count: int, start_count: int) -> dict[str, float]:
    sandbox = SelectedSandbox([LocalBackend("bubblewrap", LocalOptions.default(slots=1))], Choice())
    try:
        async with await sandbox.open(Spec(limits=LIMITS, preload=PRELOADED)) as session:
            by_clock, by_cpu = await rates(cases, session, count)
            fresh_by_clock, fresh_by_cpu = await rates(fresh, session, max(20, count // 10))
            clock = Clock(slot_groups())
            took = await starts(session, start_count)
            start_cpu_s = clock.elapsed()[1] / start_count
    finally:
        await sandbox.close()
    return {
        "python_cases_per_s": by_clock,
        "python_cases_per_cpu_s": by_cpu,
        "fresh_interpreter_per_s": fresh_by_clock,
        "fresh_interpreter_per_cpu_s": fresh_by_cpu,
        "speedup_per_core": by_cpu / fresh_by_cpu,
        "bwrap_start_median_ms": statistics.median(took) * 1000,
        "bwrap_start_cpu_ms": start_cpu_s * 1000,
        "bwrap_start_best_ms": min(took) * 1000,
        "bare_start_median_ms": statistics.median(bare_starts(start_count)) * 1000,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--starts", type=int, default=150)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    figures = asyncio.run(measure(arguments.cases, arguments.starts))
    told = {name: None if math.isnan(value) else round(value, 2) for name, value in figures.items()}
    json.dump(told, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
