"""How busy the installation was, in plain Python."""

from datetime import datetime

from assay.engine.stores.fleet import FleetMinute


class MemoryFleetHistory:
    """A part of the store in memory; each method is one transaction."""

    def __init__(self) -> None:
        self._minutes: dict[datetime, FleetMinute] = {}

    async def note_minute(self, minute: FleetMinute, *, forget_before: datetime) -> None:
        kept = {at: one for at, one in self._minutes.items() if at >= forget_before}
        self._minutes = kept | {minute.at: minute}

    async def minutes_since(self, since: datetime) -> tuple[FleetMinute, ...]:
        return tuple(self._minutes[at] for at in sorted(self._minutes) if at >= since)
