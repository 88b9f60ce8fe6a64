"""How long the intervals and tests of a large benchmark take.

    python -m benchmarks.perf.interval_time

A bootstrap interval and a sign-flip test of 12,000 values each, against 2 s of processor time.
"""

import random
import sys
import time
from collections.abc import Callable

from assay.domain.stats.bootstrap import bootstrap_interval
from assay.domain.stats.significance import sign_flip

SIZE = 12_000
LIMIT_S = 2.0


def took_s(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> int:
    source = random.Random(3)  # noqa: S311  a reproducible draw
    differences = [source.uniform(-1, 1) for _ in range(SIZE)]
    two_values = [float(number % 2) for number in range(SIZE)]
    distinct_values = [number / SIZE for number in range(SIZE)]
    took = {
        "sign-flip test": took_s(lambda: sign_flip(differences)),
        "bootstrap of two distinct values": took_s(lambda: bootstrap_interval(two_values)),
        "bootstrap of distinct values": took_s(lambda: bootstrap_interval(distinct_values)),
    }
    for name, one_s in took.items():
        print(f"{name}: {one_s:.2f} s, at most {LIMIT_S} s")
    return int(max(took.values()) > LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
