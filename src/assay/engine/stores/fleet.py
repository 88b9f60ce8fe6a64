"""The store of workers and of how busy they were."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assay.domain.run import RunId
from assay.domain.shard import ShardId


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that executes shards; `endpoints` counts its calls in flight to each.

    One without slots executes a run of its own, and takes nothing from the queue.
    """

    id: str
    host: str
    started_at: datetime
    slots: int
    running: tuple[ShardId, ...] = ()
    endpoints: Mapping[str, int] = field(default_factory=dict[str, int])
    version: str = ""
    is_draining: bool = False
    # It executes shards of these only; empty means all.
    only_models: tuple[str, ...] = ()
    only_owners: tuple[str, ...] = ()
    # Where it runs code; empty before it ran any.
    sandbox: str = ""
    # How long ago its last heartbeat was when it was read, by the clock of the database.
    silent_s: float = field(default=0.0, compare=False)


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
        """Store or refresh a worker's row; the store notes when, by the clock of the database."""
        ...

    async def workers(self) -> tuple[Worker, ...]:
        """Those that take shards from the queue and have not been removed."""
        ...

    async def remove_dead_workers(self, *, silent_for_s: float) -> tuple[str, ...]:
        """Remove workers that were silent for longer; each id is returned to one caller only."""
        ...

    async def remove_worker(self, worker_id: str) -> None:
        """Called by a worker that stops."""
        ...

    async def share_connections(self, run_id: RunId, worker_id: str, *, most: int, held: int) -> int:
        """How many of the run's `most` calls in flight this worker may have: an even share of what is free.

        `held` is how many it may have had until now. So many stay its own until the next call; zero is
        returned to a worker that joins before the others have lowered theirs.
        """
        ...

    async def leave_run(self, run_id: RunId, worker_id: str) -> None:
        """Give up the worker's share of the run's connections."""
        ...

    async def executed_runs(self, *, silent_for_s: float) -> frozenset[RunId]:
        """The runs that a worker has a share of, unless it was silent for longer."""
        ...

    async def later_schema(self) -> str | None:
        """The schema that a later version gave the database since it was opened; None if none did."""
        ...

    async def record_minute(self, minute: FleetMinute, *, forget_before: datetime) -> None:
        """Replaces what was stored for the same minute."""
        ...

    async def minutes_since(self, since: datetime) -> tuple[FleetMinute, ...]:
        """Oldest first; minutes in which no process ran are missing."""
        ...
