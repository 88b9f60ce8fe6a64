"""What calls show of an endpoint: how long it takes to answer, and how many it refuses."""

from dataclasses import dataclass
from typing import NamedTuple

SMOOTHING = 0.1
_LEAST_ROUND_S = 0.25
_SLOW_FACTOR = 3.0
_SLOW_SLACK_MS = 250.0


class Slot(NamedTuple):
    """A call that may be sent: its number, when it got its place, and how many calls were then in flight."""

    number: int
    began_at: float
    level: int


@dataclass(slots=True)
class Latency:
    """Smoothed time to the first token, and its minimum."""

    smoothed_ms: float | None = None
    best_ms: float = float("inf")

    def add(self, ttft_ms: float) -> None:
        if self.smoothed_ms is None:
            self.smoothed_ms = ttft_ms
        self.smoothed_ms += SMOOTHING * (ttft_ms - self.smoothed_ms)
        self.best_ms = min(self.best_ms, self.smoothed_ms)

    @property
    def is_slow(self) -> bool:
        return (
            self.smoothed_ms is not None and self.smoothed_ms > _SLOW_FACTOR * self.best_ms + _SLOW_SLACK_MS
        )

    @property
    def round_s(self) -> float:
        return max(_LEAST_ROUND_S, (self.smoothed_ms or 0.0) / 1000)


@dataclass(slots=True)
class Window:
    """The calls from a first one on.

    Calls without a reply count as taken: refusals come at once, answers a round trip later.
    """

    first: int
    began_at: float
    refused: int = 0
    refused_s: float = 0.0

    def refuse(self, slot: Slot, now: float) -> None:
        self.refused += 1
        self.refused_s += now - slot.began_at

    def calls(self, last: int) -> int:
        return max(1, last - self.first + 1)

    def share(self, last: int) -> float:
        """The share of refused calls."""
        return self.refused / self.calls(last)

    def places_refused(self, now: float) -> int:
        """How many places were taken by calls that were then refused, on average and at least one."""
        return max(1, round(self.refused_s / max(now - self.began_at, 1e-3)))
