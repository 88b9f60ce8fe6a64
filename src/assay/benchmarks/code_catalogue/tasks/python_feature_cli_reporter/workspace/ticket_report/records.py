"""Reads records of tickets from lines of text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

STAGES = ("backlog", "in_progress", "review", "done")


@dataclass(frozen=True)
class Record:
    """A ticket entered a stage after so many hours of work."""

    ticket: str
    stage: str
    hours: float


class RecordError(ValueError):
    """A line is not a record; `line` is its number."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


def parse_records(lines: Iterable[str]) -> list[Record]:
    """The records of all lines; blank lines and comments are skipped."""
    raise NotImplementedError
