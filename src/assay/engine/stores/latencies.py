"""How many answers of a model took how long: what monitoring computes percentiles from."""

from dataclasses import dataclass, field

BOUNDS_S = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)


@dataclass(frozen=True, slots=True)
class Spread:
    """How many answers took at most each of the bounds; the last count is that of all answers."""

    counts: tuple[int, ...] = (0,) * (len(BOUNDS_S) + 1)
    sum_s: float = 0.0

    def __add__(self, other: "Spread") -> "Spread":
        counts = tuple(ours + theirs for ours, theirs in zip(self.counts, other.counts, strict=True))
        return Spread(counts, self.sum_s + other.sum_s)


@dataclass(frozen=True, slots=True)
class Latencies:
    """The time of whole answers, and the time to their first token."""

    duration: Spread = field(default_factory=Spread)
    ttft: Spread = field(default_factory=Spread)

    def __add__(self, other: "Latencies") -> "Latencies":
        return Latencies(self.duration + other.duration, self.ttft + other.ttft)
