"""Reads records of tickets from lines of text."""

from __future__ import annotations

import math
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
    records = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            records.append(_record(number, text))
    return records


def _record(number: int, text: str) -> Record:
    fields = [field.strip() for field in text.split(",")]
    if len(fields) != 3:
        raise RecordError(number, f"3 fields were expected, not {len(fields)}")
    ticket, stage, hours = fields
    if not ticket:
        raise RecordError(number, "the ticket has no name")
    if stage.lower() not in STAGES:
        raise RecordError(number, f"unknown stage {stage!r}")
    return Record(ticket, stage.lower(), _hours(number, hours))


def _hours(number: int, text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        raise RecordError(number, f"{text!r} is not a number") from None
    if not math.isfinite(hours) or hours < 0:
        raise RecordError(number, f"{text!r} is not a number of hours")
    return hours
