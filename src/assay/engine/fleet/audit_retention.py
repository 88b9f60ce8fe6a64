"""Deletes old entries of the audit log, in whichever API process is up."""

import asyncio
from datetime import timedelta
from typing import Final

from assay.engine.fleet.outage import Outage
from assay.engine.ports import Clock
from assay.engine.stores.identity import IdentityStore

_EVERY_S: Final = 86_400.0


async def forget_old_entries(store: IdentityStore, clock: Clock, *, kept_for: timedelta) -> None:
    """Delete what is older, at once and then daily; run until cancelled."""
    outage = Outage("deleting old entries of the audit log")
    while True:
        with outage.tolerated():
            await store.forget_audit_entries(before=clock.now() - kept_for)
        await asyncio.sleep(_EVERY_S)
