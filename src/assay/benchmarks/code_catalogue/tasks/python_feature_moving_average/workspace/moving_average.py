"""Simple moving averages, of whole series and of values as they come."""

from __future__ import annotations

from collections.abc import Iterable


def moving_average(values: Iterable[float | None], window: int) -> list[float | None]:
    """For every value, the mean of the last `window` values."""
    raise NotImplementedError


class MovingAverage:
    """The mean of the last `window` values that were added."""

    def __init__(self, window: int) -> None:
        raise NotImplementedError

    def add(self, value: float | None) -> float | None:
        """Add a value and return the average, if its window is full."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget all values."""
        raise NotImplementedError
