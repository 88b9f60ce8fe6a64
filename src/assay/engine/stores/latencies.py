"""How long the answers of each model took, counted by how long: what monitoring makes percentiles of."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from assay.domain.timing import StreamTiming

BOUNDS_S = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)


@dataclass(frozen=True, slots=True)
class Spread:
    """How many took up to each of the bounds, and at last how many there are."""

    counts: tuple[int, ...] = (0,) * (len(BOUNDS_S) + 1)
    sum_s: float = 0.0

    def __add__(self, other: "Spread") -> "Spread":
        counts = tuple(ours + theirs for ours, theirs in zip(self.counts, other.counts, strict=True))
        return Spread(counts, self.sum_s + other.sum_s)


@dataclass(frozen=True, slots=True)
class Latencies:
    """Of whole answers, and to their first token."""

    duration: Spread = field(default_factory=Spread)
    ttft: Spread = field(default_factory=Spread)

    def __add__(self, other: "Latencies") -> "Latencies":
        return Latencies(self.duration + other.duration, self.ttft + other.ttft)


def counted(timings: Sequence[StreamTiming]) -> Latencies:
    return Latencies(
        _spread([one.duration_ms for one in timings]),
        _spread([one.ttft_ms for one in timings if one.ttft_ms is not None]),
    )


def _spread(times_ms: Sequence[float]) -> Spread:
    within = [0] * (len(BOUNDS_S) + 1)
    for time_ms in times_ms:
        within[bisect_left(BOUNDS_S, time_ms / 1000)] += 1
    return Spread(tuple(accumulate(within)), sum(times_ms) / 1000)
