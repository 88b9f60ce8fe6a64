"""The record of who did what: written by the API and the command line."""

from datetime import datetime, timedelta
from typing import Final

from assay.domain.access.identity import AuditEntry
from assay.engine.ports import Clock
from assay.engine.stores.identity import IdentityStore

DONE: Final = "done"
LEFT_OUT: Final = "refusals_left_out"
# Callers without any right could fill the database with what they are refused.
MAX_REFUSALS: Final = 60
_WINDOW: Final = timedelta(minutes=1)
_MAX_TARGET: Final = 1_000


class AuditLog:
    """Writes down everything that was done, and of refusals so many per minute and process.

    How many were left out is written with the next one.
    """

    def __init__(self, store: IdentityStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._since: datetime | None = None
        self._refusals = 0

    async def write(self, actor: str, action: str, target: str = "", outcome: str = DONE) -> None:
        now = self._clock.now()
        if outcome != DONE and not await self._has_room(now):
            return
        await self._store.add_audit_entry(AuditEntry(now, actor, action, target[:_MAX_TARGET], outcome))

    async def _has_room(self, now: datetime) -> bool:
        if self._since is None or now - self._since >= _WINDOW:
            left_out, since = self._refusals - MAX_REFUSALS, self._since
            self._since, self._refusals = now, 0
            if since is not None and left_out > 0:
                target = f"{left_out} in the minute from {since.isoformat()}"
                await self._store.add_audit_entry(AuditEntry(now, "", LEFT_OUT, target))
        self._refusals += 1
        return self._refusals <= MAX_REFUSALS
