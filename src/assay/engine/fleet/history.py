"""How busy the installation was, minute by minute."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assay.engine.stores.fleet import FleetMinute

MINUTE = timedelta(minutes=1)
KEPT = timedelta(days=2)


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
