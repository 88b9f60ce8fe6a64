"""How busy the installation is, stored once a minute by whichever process is up."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assay.domain.run import State
from assay.engine.fleet.liveness import is_alive
from assay.engine.fleet.outage import Outage
from assay.engine.ports import Clock
from assay.engine.stores.fleet import FleetMinute, FleetStore
from assay.engine.stores.runs import RunStore

_STORE_EVERY_S = 20.0
MINUTE = timedelta(minutes=1)
KEPT_FOR = timedelta(days=2)


async def note_minutes(fleet: FleetStore, runs: RunStore, clock: Clock) -> None:
    """Run until cancelled; a database that is away for a moment leaves a gap."""
    outage = Outage("noting how busy the installation is")
    while True:
        with outage.tolerated():
            await note_minute(fleet, runs, clock)
        await asyncio.sleep(_STORE_EVERY_S)


async def note_minute(fleet: FleetStore, runs: RunStore, clock: Clock) -> None:
    now = clock.now()
    await fleet.record_minute(await current_minute(fleet, runs, now), forget_before=now - KEPT_FOR)


async def current_minute(fleet: FleetStore, runs: RunStore, now: datetime) -> FleetMinute:
    counts = await runs.count_by_state()
    alive = sum(map(is_alive, await fleet.workers()))
    return FleetMinute(whole_minute(now), alive, counts[State.RUNNING], counts[State.QUEUED])


def filled(stored: Sequence[FleetMinute], *, now: datetime, minutes: int) -> tuple[FleetMinute, ...]:
    """One for each of the last minutes; while no process was up, nothing ran and the queue stayed."""
    last = FleetMinute(now, 0, 0, 0)
    by_minute = {one.at: one for one in stored}
    found: list[FleetMinute] = []
    for ago in range(minutes - 1, -1, -1):
        at = whole_minute(now) - ago * MINUTE
        last = by_minute.get(at, replace(last, at=at, worker_count=0, running_runs=0))
        found.append(last)
    return tuple(found)


def whole_minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)
