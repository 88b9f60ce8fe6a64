"""How the chunks of one reply were spread over time, in the terms of the original's report."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_LONG = 3.0
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class StreamShape:
    """Rates are chunks per second; a long gap is one of more than three times the mean."""

    peak_per_s: float | None = None
    least_per_s: float | None = None
    max_gap_s: float | None = None
    long_gaps: int | None = None
    variation: float | None = None


def stream_shape(chunks_s: Sequence[float]) -> StreamShape:
    """Of at least three chunks; of fewer nothing is said."""
    gaps_s = [later - earlier for earlier, later in pairwise(chunks_s)]
    if len(chunks_s) < _FEWEST:
        return StreamShape()
    mean_s = statistics.fmean(gaps_s)
    rates = [1 / gap_s for gap_s in gaps_s if gap_s > 0]
    return StreamShape(
        peak_per_s=max(rates, default=None),
        least_per_s=min(rates, default=None),
        max_gap_s=max(gaps_s),
        long_gaps=sum(gap_s > _LONG * mean_s for gap_s in gaps_s),
        variation=statistics.pstdev(gaps_s) / mean_s if mean_s > 0 else None,
    )
