"""Values of a time series at regular times."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import NamedTuple


class Sample(NamedTuple):
    """A value at a time; None where a grid has no value."""

    time: datetime
    value: float | None


def resample(
    samples: Iterable[tuple[datetime, float]],
    *,
    step: timedelta,
    method: str = "linear",
    start: datetime | None = None,
    end: datetime | None = None,
    max_gap: timedelta | None = None,
) -> list[Sample]:
    """The values at `start`, `start + step`, … up to `end`; raises ValueError."""
    if step <= timedelta(0):
        raise ValueError(f"step must be above zero, not {step}")
    if max_gap is not None and max_gap < timedelta(0):
        raise ValueError(f"max_gap must not be below zero: {max_gap}")
    if method not in ("linear", "forward_fill"):
        raise ValueError(f"unknown method {method!r}")
    pairs = list(samples)
    _require_one_kind(
        [time for time, _ in pairs] + [one for one in (start, end) if one is not None]
    )
    known = _by_time(pairs)
    times = sorted(known)
    first = _moment(start) if start is not None else times[0] if times else None
    last = _moment(end) if end is not None else times[-1] if times else None
    if first is None or last is None:
        return []
    if last < first:
        raise ValueError(f"the grid would end at {last}, before it begins at {first}")

    value_at = _linear if method == "linear" else _forward_fill
    values = [known[time] for time in times]
    grid = [first + number * step for number in range((last - first) // step + 1)]
    return [Sample(time, value_at(times, values, time, max_gap)) for time in grid]


def _require_one_kind(times: list[datetime]) -> None:
    if len({time.utcoffset() is None for time in times}) > 1:
        raise ValueError("either all times must have a time zone, or none")


def _moment(time: datetime) -> datetime:
    """The time in UTC, since times of one zone are compared by their clock faces."""
    return time if time.utcoffset() is None else time.astimezone(timezone.utc)


def _by_time(pairs: list[tuple[datetime, float]]) -> dict[datetime, float]:
    known: dict[datetime, float] = {}
    for time, value in pairs:
        if not math.isfinite(value):
            raise ValueError(f"the value at {time} is not finite: {value}")
        known[_moment(time)] = float(value)
    return known


def _linear(
    times: list[datetime], values: list[float], time: datetime, max_gap: timedelta | None
) -> float | None:
    after = bisect_right(times, time)
    if after == 0:
        return None
    if times[after - 1] == time:
        return values[after - 1]
    if after == len(times):
        return None
    gap = times[after] - times[after - 1]
    if max_gap is not None and gap > max_gap:
        return None
    share = (time - times[after - 1]) / gap
    return values[after - 1] * (1 - share) + values[after] * share


def _forward_fill(
    times: list[datetime], values: list[float], time: datetime, max_gap: timedelta | None
) -> float | None:
    after = bisect_right(times, time)
    if after == 0 or (max_gap is not None and time - times[after - 1] > max_gap):
        return None
    return values[after - 1]
