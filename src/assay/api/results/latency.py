"""Histograms of the reply times of an evaluation."""

import math
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from typing import Final

from assay.api.schemas.items import LatencyBin, LatencyHistogram, LatencyReport
from assay.domain.attempt import Attempt

METRICS: Final = ("ttft_ms", "ttfat_ms", "max_gap_ms", "silence_ms", "duration_ms", "tokens_per_s")
_BINS_PER_DECADE: Final = 30


async def latency_report(attempts: AsyncIterator[Attempt]) -> LatencyReport:
    """Read every attempt once; bins are logarithmic, because times differ by orders of magnitude."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    stalled = replies = 0
    async for attempt in attempts:
        timing = attempt.timing
        if timing is None:
            continue
        replies += 1
        stalled += timing.stalls > 0
        for name in METRICS:
            value: float | None = getattr(timing, name)
            if value is not None and value > 0:
                counts[name][math.floor(math.log10(value) * _BINS_PER_DECADE)] += 1
    return LatencyReport(
        replies=replies,
        stalled=stalled,
        metrics={name: _histogram(counts[name]) for name in METRICS if counts[name]},
    )


def _histogram(counts: Counter[int]) -> LatencyHistogram:
    bins = tuple(
        LatencyBin(low=_edge(index), high=_edge(index + 1), count=counts[index])
        for index in range(min(counts), max(counts) + 1)
    )
    return LatencyHistogram(n=counts.total(), bins=bins)


def _edge(index: int) -> float:
    return 10 ** (index / _BINS_PER_DECADE)
