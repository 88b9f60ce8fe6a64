"""What a workflow and its schedule consist of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """Takes `duration`, and starts when all tasks named in `after` have finished."""

    duration: int
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Schedule:
    """When each task can run, if there are enough workers."""

    order: tuple[str, ...]
    start: Mapping[str, int]
    finish: Mapping[str, int]
    slack: Mapping[str, int]
    makespan: int
    critical_path: tuple[str, ...]


class CycleError(ValueError):
    """Tasks depend on each other in a circle, which `cycle` names."""

    def __init__(self, cycle: tuple[str, ...]) -> None:
        super().__init__(f"tasks depend on each other: {' -> '.join((*cycle, cycle[0]))}")
        self.cycle = cycle
