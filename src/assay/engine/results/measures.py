"""What was measured of an evaluation's attempts: means, percentiles, and the spread between repeats."""

import statistics
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.calls.timing import StreamTiming
from assay.domain.stats import percentiles, repeat_noise

Measured = int | float | None

_TIMED: Mapping[str, Callable[[StreamTiming], Measured]] = {
    "latency_ms": lambda timing: timing.duration_ms,
    "ttft_ms": lambda timing: timing.ttft_ms,
    "ttfat_ms": lambda timing: timing.ttfat_ms,
    "max_gap_ms": lambda timing: timing.max_gap_ms,
    "silence_ms": lambda timing: timing.silence_ms,
    "stalls": lambda timing: timing.stalls,
    "tokens_per_s": lambda timing: timing.tokens_per_s,
    "continuity": lambda timing: timing.continuity,
    "keep_alives": lambda timing: timing.keep_alives,
}
_USED: Mapping[str, Callable[[Attempt], Measured]] = {
    "input_tokens": lambda attempt: attempt.usage.input_tokens,
    "output_tokens": lambda attempt: attempt.usage.output_tokens,
    "reasoning_tokens": lambda attempt: attempt.usage.reasoning_tokens,
    "cost_usd": lambda attempt: None if attempt.cost_usd is None else float(attempt.cost_usd),
    "sandbox_s": lambda attempt: attempt.usage.sandbox_s,
    "score": lambda attempt: attempt.score,
}
MEASURES = (*_TIMED, *_USED)


@dataclass(frozen=True, slots=True)
class Measure:
    """`n` attempts have it.

    `repeat_sd` is the standard deviation between samples of one item, pooled over the items that were asked
    more than once; None where there are none.
    """

    n: int
    mean: float
    sd: float
    p50: float
    p90: float
    p99: float
    max: float
    repeat_sd: float | None = None


Measures = Mapping[str, Measure]


@dataclass(slots=True)
class MeasureTally:
    """Keeps the numbers of the attempts alone; with the items they belong to where there are `repeats`."""

    repeats: bool = False
    _values: dict[str, "array[float]"] = field(default_factory=lambda: defaultdict(lambda: array("d")))
    _items: dict[str, list[ItemId]] = field(default_factory=lambda: defaultdict(list))

    def add(self, attempt: Attempt) -> None:
        """Attempts without an answer measure nothing of the model."""
        if not attempt.outcome.is_final:
            return
        if attempt.timing is not None:
            for name, read in _TIMED.items():
                self._put(name, read(attempt.timing), attempt.item_id)
        for name, read_use in _USED.items():
            self._put(name, read_use(attempt), attempt.item_id)

    def _put(self, name: str, value: Measured, item_id: ItemId) -> None:
        if value is not None:
            self._values[name].append(value)
            if self.repeats:
                self._items[name].append(item_id)

    def measures(self) -> Measures:
        """Those that any attempt has, in a fixed order."""
        return {
            name: _measure(self._values[name], self._items[name]) for name in MEASURES if name in self._values
        }


def _measure(values: "array[float]", item_ids: list[ItemId]) -> Measure:
    found = percentiles(values, (50.0, 90.0, 99.0, 100.0))
    noise = repeat_noise(values, item_ids) if item_ids else None
    return Measure(
        n=len(values),
        mean=statistics.fmean(values),
        sd=statistics.stdev(values) if len(values) > 1 else 0.0,
        p50=found[50.0],
        p90=found[90.0],
        p99=found[99.0],
        max=found[100.0],
        repeat_sd=None if noise is None else noise.within_variance**0.5,
    )
