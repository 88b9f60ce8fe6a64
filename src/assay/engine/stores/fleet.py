"""The store of workers and of how busy they were."""

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
    # It executes shards of these only; empty means all.
    only_models: tuple[str, ...] = ()
    only_owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FleetMinute:
    """The state at some moment of the minute that begins at `at`."""

    at: datetime
    worker_count: int
    running_runs: int
    queued_runs: int


class FleetStore(Protocol):
    """Each method is one transaction."""

    async def heartbeat(self, worker: Worker) -> None:
        """Store or refresh a worker's row."""
        ...

    async def workers(self) -> tuple[Worker, ...]:
        """Those that have not been removed."""
        ...

    async def remove_dead_workers(self, *, unseen_since: datetime) -> tuple[str, ...]:
        """Remove workers that were last seen before then; each id is returned to one caller only."""
        ...

    async def remove_worker(self, worker_id: str) -> None:
        """Called by a worker that stops."""
        ...

    async def record_minute(self, minute: FleetMinute, *, forget_before: datetime) -> None:
        """Replaces what was stored for the same minute."""
        ...

    async def minutes_since(self, since: datetime) -> tuple[FleetMinute, ...]:
        """Oldest first; minutes in which no process ran are missing."""
        ...
