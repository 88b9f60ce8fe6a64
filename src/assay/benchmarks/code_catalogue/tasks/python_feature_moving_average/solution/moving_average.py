"""Simple moving averages, of whole series and of values as they come."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable


def moving_average(values: Iterable[float | None], window: int) -> list[float | None]:
    """For every value, the mean of the last `window` values."""
    average = MovingAverage(window)
    return [average.add(value) for value in values]


class MovingAverage:
    """The mean of the last `window` values that were added."""

    def __init__(self, window: int) -> None:
        if isinstance(window, bool) or not isinstance(window, int):
            raise TypeError(f"window must be an int, not {window!r}")
        if window < 1:
            raise ValueError(f"window must be at least 1, not {window}")
        self._window = window
        self._values: deque[float | None] = deque(maxlen=window)
        self._added = 0

    def add(self, value: float | None) -> float | None:
        """Add a value and return the average, if its window is full."""
        self._check(value)
        self._values.append(value)
        self._added += 1
        if len(self._values) < self._window or None in self._values:
            return None
        return math.fsum(self._values) / self._window

    def reset(self) -> None:
        """Forget all values."""
        self._values.clear()
        self._added = 0

    def _check(self, value: object) -> None:
        if value is None:
            return
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"the value at index {self._added} is not a number: {value!r}")
        if not math.isfinite(value):
            raise ValueError(f"the value at index {self._added} is not finite: {value!r}")
