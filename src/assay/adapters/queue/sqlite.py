"""The queue of shards in tables of the store's SQLite file, which one process at a time works off."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import asdict
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Row, TextClause, inspect, text

from assay.adapters.queue.session import Delivery, SessionQueue
from assay.domain.errors import InvalidValueError
from assay.domain.shard import ShardId
from assay.engine.execution.queue import Depth, Lane, Ticket, WorkerConfig, require_priority

# Each shard that waits or runs, with its newest epoch; `age` orders those of equal priority.
# `queue_closed` has a row while no shard is to be started.
_TABLES = (
    """CREATE TABLE IF NOT EXISTS queued_shards (
        age INTEGER PRIMARY KEY AUTOINCREMENT,
        shard_id TEXT NOT NULL UNIQUE,
        epoch INTEGER NOT NULL,
        model TEXT NOT NULL,
        owner TEXT,
        priority INTEGER NOT NULL,
        is_claimed BOOLEAN NOT NULL DEFAULT FALSE,
        deliveries INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE TABLE IF NOT EXISTS queue_closed (id INTEGER PRIMARY KEY)",
)
SUBMIT = text(
    "INSERT INTO queued_shards (shard_id, epoch, model, owner, priority)"
    " VALUES (:shard_id, :epoch, :model, :owner, :priority)"
    " ON CONFLICT (shard_id) DO UPDATE"
    " SET epoch = excluded.epoch, priority = excluded.priority, is_claimed = FALSE, deliveries = 0"
    " WHERE excluded.epoch > epoch"
)
_WITHDRAW = text("DELETE FROM queued_shards WHERE shard_id = :shard_id AND epoch = :epoch")
_REPRIORITISE = text(
    "UPDATE queued_shards SET priority = :priority"
    " WHERE shard_id = :shard_id AND epoch = :epoch AND NOT is_claimed"
)
_DEPTH = text(
    "SELECT count(*) FILTER (WHERE NOT is_claimed), count(*) FILTER (WHERE is_claimed) FROM queued_shards"
)
_WAITING = text("SELECT shard_id FROM queued_shards WHERE NOT is_claimed ORDER BY priority, age")
_NEXT = text(
    "SELECT age, shard_id, epoch, deliveries + 1 AS number, model, owner FROM queued_shards"
    " WHERE NOT is_claimed AND NOT EXISTS (SELECT 1 FROM queue_closed) ORDER BY priority, age"
)
_CLAIM = text("UPDATE queued_shards SET is_claimed = TRUE, deliveries = :number WHERE age = :age")
_CLAIMED = text("SELECT shard_id, epoch, deliveries FROM queued_shards WHERE is_claimed")
_RELEASE_ALL = text("UPDATE queued_shards SET is_claimed = FALSE WHERE is_claimed")
_FINISH = text(
    "DELETE FROM queued_shards"
    " WHERE shard_id = :shard_id AND epoch = :epoch AND deliveries = :number AND is_claimed"
)
_HAND_BACK = text(
    "UPDATE queued_shards SET is_claimed = FALSE, deliveries = deliveries - 1"
    " WHERE shard_id = :shard_id AND epoch = :epoch AND deliveries = :number AND is_claimed"
)

T = TypeVar("T")


class Transactions(Protocol):
    """Runs a function as one transaction of the database; the store has one for its own."""

    def read(self, work: Callable[[Connection], T]) -> Awaitable[T]: ...

    def write(self, work: Callable[[Connection], T]) -> Awaitable[T]: ...


async def open_queue(database: Transactions) -> "SqliteQueue":
    """The queue in the store's file; its tables are created if they are missing."""
    if not await database.read(lambda connection: inspect(connection).has_table("queue_closed")):
        await database.write(create_tables)
    return SqliteQueue(database)


class SqliteQueue(SessionQueue):
    """Any process may submit and withdraw; only one may work, which the caller sees to."""

    def __init__(self, database: Transactions) -> None:
        self._database = database

    def submit_within(self, transaction: object, tickets: Sequence[Ticket]) -> None:
        if not isinstance(transaction, Connection):
            raise InvalidValueError(f"a transaction is an open connection, not {transaction!r}")
        execute(transaction, SUBMIT, tickets)

    async def withdraw(self, tickets: Sequence[Ticket]) -> None:
        await self._database.write(lambda connection: execute(connection, _WITHDRAW, tickets))

    async def reprioritise(self, tickets: Sequence[Ticket], priority: int) -> None:
        require_priority(priority)
        await self._database.write(
            lambda connection: execute(connection, _REPRIORITISE, tickets, priority=priority)
        )

    async def set_open(self, *, is_open: bool) -> None:
        def work(connection: Connection) -> None:
            connection.execute(text("DELETE FROM queue_closed"))
            if not is_open:
                connection.execute(text("INSERT INTO queue_closed (id) VALUES (1)"))

        await self._database.write(work)

    async def depth(self) -> Depth:
        queued, running = await self._database.read(lambda connection: connection.execute(_DEPTH).one())
        return Depth(queued=queued, running=running)

    async def waiting(self) -> tuple[ShardId, ...]:
        return await self._database.read(lambda connection: tuple(connection.scalars(_WAITING)))

    async def enter(self, config: WorkerConfig) -> None:  # noqa: ARG002
        """Release what a worker that was killed had claimed."""
        await self.leave()

    async def leave(self) -> None:
        await self._database.write(lambda connection: connection.execute(_RELEASE_ALL))

    async def claim(self, lane: Lane) -> Delivery | None:
        def following(connection: Connection) -> Row[Any] | None:
            rows = connection.execute(_NEXT)
            return next((row for row in rows if lane.takes(row.model, row.owner)), None)

        def claimed(connection: Connection) -> Delivery | None:
            row = following(connection)
            if row is None:
                return None
            connection.execute(_CLAIM, {"age": row.age, "number": row.number})
            return Delivery(row.shard_id, str(row.epoch), row.number)

        # An empty queue is polled without a lock on the file.
        if await self._database.read(following) is None:
            return None
        return await self._database.write(claimed)

    async def report(self, delivery: Delivery, *, is_done: bool) -> None:
        statement = _FINISH if is_done else _HAND_BACK
        key = {"shard_id": delivery.shard_id, "epoch": int(delivery.ticket), "number": delivery.number}
        await self._database.write(lambda connection: connection.execute(statement, key))

    async def withdrawn(self, held: Collection[Delivery]) -> Collection[Delivery]:
        def work(connection: Connection) -> set[Delivery]:
            rows = connection.execute(_CLAIMED)
            return {Delivery(row.shard_id, str(row.epoch), row.deliveries) for row in rows}

        return set(held) - await self._database.read(work)


def create_tables(connection: Connection) -> None:
    for statement in _TABLES:
        connection.execute(text(statement))


def execute(connection: Connection, query: TextClause, tickets: Sequence[Ticket], **others: object) -> None:
    rows = [asdict(ticket) | others for ticket in tickets]
    if rows:
        connection.execute(query, rows)
