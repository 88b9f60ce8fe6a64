"""Half-open intervals, and which of them are in each other's way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Interval:
    """The moments from `start` up to, and without, `end`."""

    start: Any
    end: Any

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"the end {self.end!r} is before the start {self.start!r}")


def overlaps(first: Interval, second: Interval) -> bool:
    """Whether at least one moment belongs to both intervals."""
    return max(first.start, second.start) < min(first.end, second.end)


def conflicts(booked: Iterable[Interval], wanted: Interval) -> list[Interval]:
    """The booked intervals that overlap the wanted one."""
    return [interval for interval in booked if overlaps(wanted, interval)]
