"""Random draws that are the same on every machine and in every version of Python."""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class RedrawError(Exception):
    """What was drawn makes no good task, for instance because two results are equal."""


class Draw:
    def __init__(self, seed: str) -> None:
        # Of the generator only random() is promised to stay as it is.
        self._random = random.Random(seed).random

    def integer(self, low: int, high: int, step: int = 1) -> int:
        """From low to high, both included."""
        return low + step * int(self._random() * ((high - low) // step + 1))

    def one(self, members: Sequence[T]) -> T:
        return members[self.integer(0, len(members) - 1)]

    def some(self, members: Sequence[T], count: int) -> list[T]:
        """Different ones, in random order."""
        left = list(members)
        return [left.pop(self.integer(0, len(left) - 1)) for _ in range(count)]

    def integers(self, count: int, low: int, high: int, step: int = 1) -> list[int]:
        """Different ones."""
        return self.some(range(low, high + 1, step), count)


def distinct(values: Sequence[T]) -> Sequence[T]:
    if len(set(values)) < len(values):
        raise RedrawError
    return values


def ranked(values: dict[str, int]) -> list[str]:
    """The names, that of the highest value first; no two values may be equal."""
    distinct(list(values.values()))
    return sorted(values, key=lambda name: -values[name])
