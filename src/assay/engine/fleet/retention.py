"""Moves the attempts of old runs out of the database."""

import logging
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta

from assay.domain.errors import AssayError
from assay.domain.run import RunId
from assay.engine.log_context import about_run
from assay.engine.ports import Clock
from assay.engine.stores import Stores
from assay.engine.stores.offload import OffloadedRun

_log = logging.getLogger(__name__)
_EVERY_S = 3600.0


async def offload_runs(stores: Stores, run_ids: Sequence[RunId], clock: Clock) -> AsyncIterator[OffloadedRun]:
    """One after the other; the texts that only they had are deleted at the end."""
    has_moved = False
    try:
        for run_id in run_ids:
            done = await stores.offload.offload(run_id, at=clock.now())
            has_moved = True
            yield done
    finally:
        if has_moved:
            await stores.runs.delete_unused_texts()


async def keep_offloading(stores: Stores, clock: Clock, *, after: timedelta) -> None:
    """Every hour, those that ended so long ago; several processes may do so."""
    while True:
        try:
            await _offload_all(stores, await stores.offload.ended_before(clock.now() - after), clock)
        except AssayError as error:
            _log.warning("old runs cannot be offloaded: %s; tried again in an hour", error)
        await clock.sleep(_EVERY_S)


async def _offload_all(stores: Stores, run_ids: Sequence[RunId], clock: Clock) -> None:
    """A run that cannot be offloaded stays, and the others go."""
    for run_id in run_ids:
        with about_run(run_id):
            try:
                done = await stores.offload.offload(run_id, at=clock.now())
                _log.info("offloaded run %s: %d attempts", run_id, done.attempts)
            except AssayError as error:
                _log.warning("run %s cannot be offloaded: %s; tried again in an hour", run_id, error)
    if run_ids:
        await stores.runs.delete_unused_texts()
