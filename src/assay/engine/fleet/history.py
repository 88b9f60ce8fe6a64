"""How busy the installation was, minute by minute."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

MINUTE = timedelta(minutes=1)
KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class FleetMinute:
    """As it was at some moment of the minute that begins at `at`."""

    at: datetime
    worker_count: int
    running_runs: int
    queued_runs: int


class FleetHistory(Protocol):
    async def note_minute(self, minute: FleetMinute, *, forget_before: datetime) -> None:
        """What was noted of the same minute gives way."""
        ...

    async def minutes_since(self, since: datetime) -> tuple[FleetMinute, ...]:
        """Oldest first; minutes in which no process was up are not there."""
        ...


def filled(noted: Sequence[FleetMinute], *, now: datetime, minutes: int) -> tuple[FleetMinute, ...]:
    """One for each of the last minutes; while no process was up nothing ran, and what waited still waited."""
    last = FleetMinute(now, 0, 0, 0)
    by_minute = {one.at: one for one in noted}
    found: list[FleetMinute] = []
    for ago in range(minutes - 1, -1, -1):
        at = whole_minute(now) - ago * MINUTE
        last = by_minute.get(at, replace(last, at=at, worker_count=0, running_runs=0))
        found.append(last)
    return tuple(found)


def whole_minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)
