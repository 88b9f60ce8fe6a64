"""How busy the installation is, stored once a minute by whichever process is up."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assay.domain.errors import StoreError
from assay.domain.run import State
from assay.engine.ports import Clock
from assay.engine.stores.fleet import FleetMinute, FleetStore, Worker
from assay.engine.stores.runs import RunStore

_log = logging.getLogger(__name__)
_STORE_EVERY_S = 20.0
MINUTE = timedelta(minutes=1)
KEPT_FOR = timedelta(days=2)
# Three times as long as other workers wait before they take over a silent worker's shards.
ALIVE_FOR = timedelta(seconds=30)


def is_alive(worker: Worker, now: datetime) -> bool:
    return now - worker.last_seen < ALIVE_FOR


async def note_minutes(fleet: FleetStore, runs: RunStore, clock: Clock) -> None:
    """Run until cancelled; a database that is away for a moment leaves a gap."""
    while True:
        try:
            await note_minute(fleet, runs, clock)
        except StoreError as error:
            _log.warning("how busy the installation is could not be stored: %s", error.message)
        await asyncio.sleep(_STORE_EVERY_S)


async def note_minute(fleet: FleetStore, runs: RunStore, clock: Clock) -> None:
    now = clock.now()
    await fleet.record_minute(await current_minute(fleet, runs, now), forget_before=now - KEPT_FOR)


async def current_minute(fleet: FleetStore, runs: RunStore, now: datetime) -> FleetMinute:
    counts = await runs.count_by_state()
    alive = sum(is_alive(one, now) for one in await fleet.workers())
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
