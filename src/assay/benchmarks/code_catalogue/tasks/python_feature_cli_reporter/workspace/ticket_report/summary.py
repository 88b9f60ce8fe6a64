"""The figures of a report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ticket_report.records import Record


@dataclass(frozen=True)
class Summary:
    """How many tickets are in each stage, and how long the finished ones took."""

    counts: dict[str, int]
    total: int
    average_hours: float | None


def summarise(records: Iterable[Record]) -> Summary:
    """The figures of all tickets, by the last record of each."""
    raise NotImplementedError
