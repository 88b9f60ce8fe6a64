"""The figures of a report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ticket_report.records import STAGES, Record


@dataclass(frozen=True)
class Summary:
    """How many tickets are in each stage, and how long the finished ones took."""

    counts: dict[str, int]
    total: int
    average_hours: float | None


def summarise(records: Iterable[Record]) -> Summary:
    """The figures of all tickets, by the last record of each."""
    latest = latest_records(records)
    done = [record.hours for record in latest if record.stage == "done"]
    return Summary(
        counts={stage: sum(record.stage == stage for record in latest) for stage in STAGES},
        total=len(latest),
        average_hours=sum(done) / len(done) if done else None,
    )


def latest_records(records: Iterable[Record]) -> list[Record]:
    """The last record of each ticket, in the order in which the tickets appear first."""
    return list({record.ticket: record for record in records}.values())
