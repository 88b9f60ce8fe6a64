"""Hostile and ordinary runs side by side for a long time: memory, sockets and threads must stay flat.

    python -m benchmarks.perf.soak [--minutes 60] [--every 1]

Works through the kinds of hostile replies again and again, beside a run of ordinary items, and prints after
each pass what the process holds. `--every 5` takes each fifth kind, for a short soak. The first pass loads
what is needed; after it, nothing may grow.
"""

import argparse
import asyncio
import ctypes
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import uvloop

from assay.adapters.simserver.hostile_kinds import KINDS
from assay.engine.loop_watchdog import LoopWatchdog
from benchmarks.perf.endpoint import endpoint, hostile_endpoint
from benchmarks.perf.hostile import ORDINARY_MS, OrdinaryRun, opened_engine, ordinary_items, run_kind
from benchmarks.perf.memory import resident_mb

# What caches and the allocator may hold more of by chance.
SLACK_MB = 20.0
SLACK_SOCKETS = 4
_LEAST_PASSES = 5
_CLOSING_S = 0.5


@dataclass(frozen=True, slots=True)
class Holdings:
    """What this process holds after a pass."""

    rss_mb: float
    sockets: int
    threads: int

    @classmethod
    def now(cls) -> "Holdings":
        gc.collect()
        # The C library keeps freed memory, more or less of it by chance: only what is in use counts.
        ctypes.CDLL(None).malloc_trim(0)
        names = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
        threads = len(list(Path("/proc/self/task").iterdir()))
        return cls(resident_mb(), sum(name.startswith("socket:") for name in names), threads)


def is_flat(passes: Sequence[Holdings]) -> bool:
    """Whether the second half of the passes holds no more than the first, the first pass left out."""
    later = passes[1:]
    half = len(later) // 2
    before, after = ([astuple(one) for one in part] for part in (later[:half], later[-half:]))
    allowed = (SLACK_MB, SLACK_SOCKETS, SLACK_SOCKETS)
    medians = (map(statistics.median, zip(*part, strict=True)) for part in (before, after))
    return all(new <= old + slack for old, new, slack in zip(*medians, allowed, strict=True))


async def soak(
    folder: Path, names: Sequence[str], *, seconds: float, hostile: str, ordinary: str
) -> tuple[list[Holdings], int]:
    """What the process held after each pass, and how often its event loop was blocked."""
    passes: list[Holdings] = []
    blocked_count, beside = 0, OrdinaryRun()
    began = time.monotonic()
    async with opened_engine(folder / "soak.db") as engine, ordinary_items(engine, ordinary, beside):
        while time.monotonic() - began < seconds or len(passes) < _LEAST_PASSES:
            watchdog = LoopWatchdog()
            # Not while the garbage is collected below, which blocks the loop.
            async with watchdog.watching():
                for name in names:
                    ends, message = await run_kind(engine, hostile, name)
                    assert set(ends) <= set(KINDS[name].ends), (name, ends, message)
                await asyncio.sleep(_CLOSING_S)
            blocked_count += watchdog.blocked_count
            passes.append(Holdings.now())
            one = passes[-1]
            print(
                f"{time.monotonic() - began:7.0f} s  pass {len(passes):3}  {one.rss_mb:6.0f} MB"
                f"  {one.sockets:4} sockets  {one.threads:3} threads"
                f"  {len(beside.alone_ms):8,} ordinary attempts",
                flush=True,
            )
    return passes, blocked_count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    names = list(KINDS)[:: arguments.every]
    with (
        tempfile.TemporaryDirectory() as name,
        hostile_endpoint() as hostile,
        endpoint(f"ttft_ms={ORDINARY_MS}") as ordinary,
    ):
        seconds = arguments.minutes * 60
        passes, blocked_count = uvloop.run(
            soak(Path(name), names, seconds=seconds, hostile=hostile, ordinary=ordinary)
        )
    verdict = "flat" if is_flat(passes) else "growing"
    print(f"{verdict}; the event loop was blocked {blocked_count} times")
    if verdict != "flat" or blocked_count:
        sys.exit(1)


if __name__ == "__main__":
    main()
