"""Memory of a long run: resident size after every tenth of 100,000 attempts.

    python -m benchmarks.perf.memory [--attempts 100000]

The last two thirds must add next to nothing: what is answered is stored and forgotten.
"""

import argparse
import tempfile
from pathlib import Path

import uvloop

from assay.domain.attempt import Attempt
from assay.domain.run import Evaluation
from assay.engine.execution.shards import Observer
from benchmarks.perf.endpoint import endpoint
from benchmarks.perf.throughput import assay_rate, write_rows

ITEMS = 2_000


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


class MemoryReadings(Observer):
    """Notes the resident size after every tenth of the run."""

    def __init__(self, total: int) -> None:
        self.sizes_mb: list[float] = []
        self._every = total // 10
        self._done = 0

    def attempt_ended(self, evaluation: Evaluation, attempt: Attempt) -> None:  # noqa: ARG002
        self._done += 1
        if self._done % self._every == 0:
            self.sizes_mb.append(resident_mb())


async def measure(base_url: str, attempts: int) -> None:
    readings = MemoryReadings(attempts)
    with tempfile.TemporaryDirectory() as name:
        rows = Path(name) / "test.jsonl"
        write_rows(rows, ITEMS)
        rate = await assay_rate(
            base_url, rows, Path(name), stream=False, samples=attempts // ITEMS, observer=readings
        )
    sizes = readings.sizes_mb
    print(" ".join(f"{size:.0f}" for size in sizes), "MB")
    growth = sizes[-1] - sizes[3]
    print(f"{attempts:,} attempts at {rate:,.0f}/s; growth over the last two thirds: {growth:+.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=100_000)
    attempts: int = parser.parse_args().attempts
    with endpoint("") as base_url:
        uvloop.run(measure(base_url, attempts))


if __name__ == "__main__":
    main()
