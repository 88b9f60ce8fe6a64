"""The queue of shards: how work reaches the workers, and how it comes back from them."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.domain.errors import InvalidValueError
from assay.domain.shard import ShardId

MAX_PRIORITY = 2**31 - 1
MAX_TRIES = 3
"""How often a worker runs a shard that raises before it gives the shard up."""
AWAY_S = 300.0
"""How long a shard is tried again that fails for nothing but a database that cannot be reached."""
MAX_DELIVERIES = 20
"""How often a shard is delivered that no worker finishes, because they die of it or just end."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One delivery of a shard; a shard handed in again gets a new epoch. Lower priorities run first."""

    shard_id: ShardId
    epoch: int
    model: str
    priority: int = 0
    owner: str | None = None

    def __post_init__(self) -> None:
        if not self.shard_id:
            raise InvalidValueError("a ticket needs the id of a shard")
        require_priority(self.priority)


def require_priority(priority: int) -> None:
    if abs(priority) > MAX_PRIORITY:
        raise InvalidValueError(f"priority must be within ±{MAX_PRIORITY}, not {priority}")


@dataclass(frozen=True, slots=True)
class Lane:
    """What a worker takes: shards of these models, of runs of these owners; none given means of all."""

    models: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()

    @property
    def is_narrow(self) -> bool:
        return bool(self.models or self.owners)

    def takes(self, model: str, owner: str | None) -> bool:
        return (not self.models or model in self.models) and (not self.owners or owner in self.owners)


WHOLE_QUEUE = Lane()


@dataclass(frozen=True, slots=True)
class Depth:
    """How many shards wait for a worker, and how many a worker has."""

    queued: int
    running: int


class NotTakenError(Exception):
    """Raised by a handler that takes no more shards: this one goes back, and none is claimed after it."""


Handler = Callable[[ShardId], Awaitable[None]]
"""Runs one shard. Returning means it is finished; CancelledError means somebody else decides about it."""

OnPoison = Callable[[ShardId, Exception], Awaitable[None]]
"""Called with a shard that was given up, and why; if it raises, the shard is queued again."""


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Up to `slots` shards run at once; a worker that is silent for `lease_s` counts as dead."""

    handler: Handler
    on_poison: OnPoison
    slots: int
    lane: Lane = WHOLE_QUEUE
    lease_s: float = 10.0


class ShardQueue(Protocol):
    """Delivers every ticket to one worker at a time, in order of priority and then of age.

    Delivery is at least once: a shard must be able to run again and find its stored attempts.
    """

    def submit_within(self, transaction: object, tickets: Sequence[Ticket]) -> None:
        """Queue them as part of the store's open transaction: if that is rolled back, nothing was queued.

        To be called by the function that the store runs as a transaction, with the connection it was given.
        A newer epoch of a shard takes the place of an older one that waits or runs.
        """
        ...

    async def withdraw(self, tickets: Sequence[Ticket]) -> None:
        """Queued ones never start; the handler of a running one is cancelled within two seconds."""
        ...

    async def reprioritise(self, tickets: Sequence[Ticket], priority: int) -> None:
        """Change those that still wait; the others are left alone."""
        ...

    async def set_open(self, *, is_open: bool) -> None:
        """While closed, no worker of the installation starts a shard; survives restarts."""
        ...

    async def depth(self) -> Depth: ...

    async def waiting(self) -> tuple[ShardId, ...]:
        """In the order in which they will start."""
        ...

    async def work(self, config: WorkerConfig) -> None:
        """Run shards on the caller's event loop until drained or cancelled."""
        ...

    async def drain(self, *, grace_s: float) -> None:
        """End `work`: take nothing more, let shards finish for so long, hand the rest to other workers."""
        ...

    async def requeue_stalled(self, *, lease_s: float, running: Collection[ShardId]) -> int:
        """Queue again what silent workers had, but for shards that run all the same; say how many.

        Any number of workers may do it at once. One that was not dead after all finds its handlers cancelled.
        """
        ...

    async def close(self) -> None: ...
