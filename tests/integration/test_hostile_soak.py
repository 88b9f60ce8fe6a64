"""A short soak: hostile and ordinary runs side by side leave nothing behind."""

import subprocess
import sys

import pytest

from benchmarks.perf.soak import Holdings, is_flat
from tests.conftest import REPOSITORY

STEADY = Holdings(rss_mb=100.0, sockets=8, threads=10)


@pytest.mark.parametrize(
    ("passes", "is_steady"),
    [
        ([STEADY] * 5, True),
        ([Holdings(10.0, 0, 1), *[STEADY] * 4], True),
        ([Holdings(100.0 + 15 * number, 8, 10) for number in range(7)], False),
        ([Holdings(100.0, 8 + 3 * number, 10) for number in range(5)], False),
        ([Holdings(100.0, 8, 10 + 3 * number) for number in range(5)], False),
    ],
    ids=["steady", "loaded first", "memory grows", "sockets grow", "threads grow"],
)
def test_what_grows_is_not_flat(passes: list[Holdings], is_steady: bool) -> None:  # noqa: FBT001
    assert is_flat(passes) is is_steady


def test_memory_sockets_and_threads_stay_flat() -> None:
    command = [sys.executable, "-m", "benchmarks.perf.soak", "--minutes", "0.3", "--every", "13"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "flat" in done.stdout
