"""Notes every minute how busy the installation is, from whichever process is up."""

import asyncio
import logging
from datetime import datetime

from assay.domain.errors import StoreError
from assay.domain.run import State
from assay.engine.fleet.history import KEPT, whole_minute
from assay.engine.fleet.liveness import is_alive
from assay.engine.ports import Clock
from assay.engine.stores import Stores
from assay.engine.stores.fleet import FleetMinute

_log = logging.getLogger(__name__)
_LOOK_EVERY_S = 20.0


async def note_minutes(stores: Stores, clock: Clock) -> None:
    """Goes on until it is canceled; a database that is away for a moment leaves a gap."""
    while True:
        try:
            await note_minute(stores, clock)
        except StoreError as error:
            _log.warning("noting how busy the installation is failed: %s", error.message)
        await asyncio.sleep(_LOOK_EVERY_S)


async def note_minute(stores: Stores, clock: Clock) -> None:
    now = clock.now()
    await stores.fleet.note_minute(await current_minute(stores, now), forget_before=now - KEPT)


async def current_minute(stores: Stores, now: datetime) -> FleetMinute:
    counts = await stores.runs.state_counts()
    alive = sum(is_alive(one, now) for one in await stores.fleet.workers())
    return FleetMinute(whole_minute(now), alive, counts[State.RUNNING], counts[State.QUEUED])
