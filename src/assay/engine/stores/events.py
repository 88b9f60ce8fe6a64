"""The store of events."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from assay.domain.event import Event
from assay.domain.run import RunId


class EventStore(Protocol):
    """Each method is one transaction."""

    async def add(self, events: Sequence[Event]) -> None: ...

    async def page(self, run_id: RunId | None, *, after: int = 0, limit: int = 500) -> tuple[Event, ...]:
        """Events with an id above `after`, oldest first; None means those of all runs."""
        ...

    async def newest_moments(self, run_ids: Sequence[RunId]) -> Mapping[RunId, datetime]:
        """When the newest event of each run was; without those that have none."""
        ...

    async def newest_id(self) -> int:
        """The id of the newest event; 0 where there is none."""
        ...
