"""The queue of shards in plain Python, for tests and for runs that need not outlive the process."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from assay.adapters.queue.delivery import Delivery, Departure, Duty, Fate, Hands
from assay.domain.errors import ConflictError
from assay.engine.execution.queue import (
    WHOLE_QUEUE,
    Depth,
    Handler,
    Lane,
    OnPoison,
    ShardId,
    Ticket,
    must_be_priority,
)


class _State(Enum):
    QUEUED = auto()
    RUNNING = auto()
    ENDED = auto()


@dataclass(slots=True)
class _Entry:
    ticket: Ticket
    age: int
    priority: int
    state: _State = _State.QUEUED
    worker_id: str = ""
    token: str = ""
    deliveries: int = 0

    def handed_to(self, worker_id: str) -> Delivery:
        self.state, self.worker_id, self.token = _State.RUNNING, worker_id, uuid.uuid4().hex
        self.deliveries += 1
        return Delivery(_name(self.ticket), self.ticket.shard_id, self.token, self.deliveries)

    def put_back(self) -> None:
        self.state, self.token = _State.QUEUED, ""

    def end(self) -> None:
        self.state, self.token = _State.ENDED, ""


def _name(ticket: Ticket) -> str:
    return f"{ticket.shard_id}#{ticket.epoch}"


@dataclass(slots=True)
class Shelf:
    """Where the tickets are; the queues of several workers share one."""

    entries: dict[str, _Entry] = field(default_factory=dict[str, _Entry])
    is_open: bool = True
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def of(self, tickets: Sequence[Ticket]) -> list[_Entry]:
        found = (self.entries.get(_name(ticket)) for ticket in tickets)
        return [entry for entry in found if entry is not None]

    def queued(self) -> list[_Entry]:
        waiting = [entry for entry in self.entries.values() if entry.state is _State.QUEUED]
        return sorted(waiting, key=lambda entry: (entry.priority, entry.age))

    def held_by(self, worker_id: str) -> list[_Entry]:
        return [
            entry
            for entry in self.entries.values()
            if entry.state is _State.RUNNING and entry.worker_id == worker_id
        ]

    def has(self, delivery: Delivery) -> bool:
        return self.entries[delivery.ticket].token == delivery.token

    def announce(self) -> None:
        """Wake every worker, and let the next one wait for the next change."""
        self.changed.set()
        self.changed = asyncio.Event()


class MemoryQueue:
    def __init__(self, shelf: Shelf | None = None, *, backoff_s: float = 2.0) -> None:
        self._shelf = shelf or Shelf()
        self._backoff_s = backoff_s
        self._departure: Departure | None = None

    async def submit(self, tickets: Sequence[Ticket]) -> None:
        self.submit_within(None, tickets)

    def submit_within(self, transaction: object, tickets: Sequence[Ticket]) -> None:  # noqa: ARG002
        """Memory knows no transactions: they are queued at once."""
        for ticket in tickets:
            entry = _Entry(ticket, age=len(self._shelf.entries), priority=ticket.priority)
            self._shelf.entries.setdefault(_name(ticket), entry)
        self._shelf.announce()

    async def withdraw(self, tickets: Sequence[Ticket]) -> None:
        for entry in self._shelf.of(tickets):
            entry.end()
        self._shelf.announce()

    async def reprioritise(self, tickets: Sequence[Ticket], priority: int) -> None:
        must_be_priority(priority)
        for entry in self._shelf.of(tickets):
            if entry.state is _State.QUEUED:
                entry.priority = priority

    async def set_open(self, *, is_open: bool) -> None:
        self._shelf.is_open = is_open
        self._shelf.announce()

    async def depth(self) -> Depth:
        states = [entry.state for entry in self._shelf.entries.values()]
        return Depth(queued=states.count(_State.QUEUED), running=states.count(_State.RUNNING))

    async def waiting(self, limit: int) -> tuple[ShardId, ...]:
        return tuple(entry.ticket.shard_id for entry in self._shelf.queued()[:limit])

    async def work(
        self,
        handler: Handler,
        *,
        on_poison: OnPoison,
        worker_id: str,
        slots: int,
        lane: Lane = WHOLE_QUEUE,
    ) -> None:
        if self._departure is not None:
            raise ConflictError("this queue is worked on already; drain it first")
        self._departure = departure = Departure()
        hands = Hands(Duty(handler, on_poison, worker_id, slots, self._backoff_s))
        try:
            await hands.serve(departure, self._take(hands, worker_id, lane))
        finally:
            await self.take_over(worker_id)
            self._departure = None
            departure.done.set()

    async def _take(self, hands: Hands, worker_id: str, lane: Lane) -> None:
        deliveries: set[asyncio.Task[None]] = set()
        while True:
            changed = self._shelf.changed
            for delivery in hands.held:
                if not self._shelf.has(delivery):
                    hands.lose(delivery)
            waiting = self._shelf.queued() if self._shelf.is_open else []
            queued = [entry for entry in waiting if lane.takes(entry.ticket.model, entry.ticket.owner)]
            for entry in queued[: max(0, hands.room - len(self._shelf.held_by(worker_id)))]:
                task = asyncio.create_task(self._deliver(entry, entry.handed_to(worker_id), hands))
                deliveries.add(task)
                task.add_done_callback(deliveries.discard)
            await changed.wait()

    async def _deliver(self, entry: _Entry, delivery: Delivery, hands: Hands) -> None:
        hands.expect(delivery.ticket)
        fate = await hands.deliver(delivery)
        if entry.token == delivery.token:
            if fate is Fate.HANDED_BACK:
                entry.put_back()
                entry.deliveries -= 1
            else:
                entry.end()
        self._shelf.announce()

    async def drain(self, *, grace_s: float) -> None:
        await asyncio.sleep(0)  # Work that was only just asked for has begun after this.
        if self._departure is not None:
            await self._departure.ask(grace_s=grace_s)

    async def take_over(self, dead_worker_id: str) -> int:
        held = self._shelf.held_by(dead_worker_id)
        for entry in held:
            entry.put_back()
        self._shelf.announce()
        return len(held)

    async def close(self) -> None:
        await self.drain(grace_s=0)
