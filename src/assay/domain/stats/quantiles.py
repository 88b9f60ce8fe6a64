"""Percentiles of measured values."""

import math
from collections.abc import Sequence

from assay.domain.errors import InvalidValueError

_WHOLE = 100
_SUMMARY = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "max": 100.0}


def percentiles(values: Sequence[float], points: Sequence[float]) -> dict[float, float]:
    """The value at each point, in percent, interpolated linearly between neighbours; empty for no values."""
    if any(not 0 <= point <= _WHOLE for point in points):
        raise InvalidValueError(f"percentiles {list(points)!r}: give numbers from 0 to 100")
    if not values:
        return {}
    ordered = sorted(values)
    return {point: quantile(ordered, point / _WHOLE) for point in points}


def percentile_summary(values: Sequence[float]) -> dict[str, float]:
    """p50, p90, p99, the maximum and n; empty for no values."""
    found = percentiles(values, tuple(_SUMMARY.values()))
    return {name: found[point] for name, point in _SUMMARY.items()} | {"n": len(values)} if found else {}


def quantile(ordered: Sequence[float], fraction: float) -> float:
    """Value below which `fraction` of the ordered values lie."""
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
