"""Values of a time series at regular times."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
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
    raise NotImplementedError
