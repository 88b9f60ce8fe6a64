"""Plans the tasks of a workflow."""

from __future__ import annotations

from collections.abc import Mapping

from workflow.model import Schedule, Task


def schedule(tasks: Mapping[str, Task]) -> Schedule:
    """The earliest schedule of the tasks; raises ValueError, KeyError or CycleError."""
    raise NotImplementedError
