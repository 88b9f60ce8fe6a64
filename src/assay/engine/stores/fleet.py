"""Workers and how busy they were, as a store keeps them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assay.domain.shard import ShardId


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that executes shards; `endpoints` counts its calls in flight to each."""

    id: str
    host: str
    started_at: datetime
    last_seen: datetime
    slots: int
    running: tuple[ShardId, ...] = ()
    endpoints: Mapping[str, int] = field(default_factory=dict[str, int])
    version: str = ""
    is_draining: bool = False
    # What it keeps to; none given means all.
    only_models: tuple[str, ...] = ()
    only_owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FleetMinute:
    """As it was at some moment of the minute that begins at `at`."""

    at: datetime
    worker_count: int
    running_runs: int
    queued_runs: int


class FleetStore(Protocol):
    """Each method is one transaction."""

    async def beat(self, worker: Worker) -> None:
        """Store or refresh a worker's row."""
        ...

    async def workers(self) -> tuple[Worker, ...]:
        """Those that have not been removed."""
        ...

    async def remove_dead_workers(self, *, unseen_since: datetime) -> tuple[str, ...]:
        """Remove workers that were last seen before then; each is named to one caller only."""
        ...

    async def remove_worker(self, worker_id: str) -> None:
        """Take one's own row away when stopping."""
        ...

    async def note_minute(self, minute: FleetMinute, *, forget_before: datetime) -> None:
        """What was noted of the same minute gives way."""
        ...

    async def minutes_since(self, since: datetime) -> tuple[FleetMinute, ...]:
        """Oldest first; minutes in which no process was up are not there."""
        ...
