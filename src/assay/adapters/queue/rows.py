"""Statements on the table in which dbos keeps its workflows; each of our tickets is one of them.

dbos documents the table. What it has a call for is left to that call; here is what it has none for.
"""

import json
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Integer,
    MetaData,
    Table,
    Text,
    bindparam,
    func,
    select,
    update,
)

from assay.adapters.queue.delivery import Delivery
from assay.engine.execution.queue import Depth, ShardId, Ticket

QUEUE = "shards"
WORKFLOW = "shard"

Status = Literal["ENQUEUED", "PENDING"]
QUEUED: Status = "ENQUEUED"
RUNNING: Status = "PENDING"
# Databases limit how many values a statement may name.
_CHUNK = 500


def name_of(ticket: Ticket) -> str:
    return f"{ticket.shard_id}#{ticket.epoch}"


def partition_of(model: str, owner: str | None) -> str:
    """What dbos shall be able to tell apart."""
    return model if owner is None else json.dumps([model, owner])


def model_and_owner(partition: str) -> tuple[str, str | None]:
    if not partition.startswith("["):
        return partition, None
    model, owner = json.loads(partition)
    return model, owner


def shard_of(ticket_name: str) -> ShardId:
    return ShardId(ticket_name.rpartition("#")[0])


class TicketRows:
    def __init__(self, schema: str | None) -> None:
        self._rows = Table(
            "workflow_status",
            MetaData(schema=schema),
            Column("workflow_uuid", Text, primary_key=True),
            Column("name", Text),
            Column("status", Text),
            Column("queue_name", Text),
            Column("queue_partition_key", Text),
            Column("executor_id", Text),
            Column("owner_xid", Text),
            Column("priority", Integer),
            Column("created_at", BigInteger),
            Column("updated_at", BigInteger),
            Column("started_at_epoch_ms", BigInteger),
            Column("completed_at", BigInteger),
            Column("recovery_attempts", BigInteger),
        )

    def unknown(self, connection: Connection, tickets: Sequence[Ticket]) -> list[Ticket]:
        """Those that were never handed in, each once."""
        column = self._rows.c.workflow_uuid
        wanted = {name_of(ticket): ticket for ticket in tickets}
        for chunk in chunks(list(wanted)):
            for known in connection.execute(select(column).where(column.in_(chunk))).scalars():
                del wanted[known]
        return list(wanted.values())

    def line_up(self, connection: Connection, tickets: Sequence[Ticket]) -> None:
        """Give new tickets their priority, and ages in the order given, behind all that is queued.

        dbos would give all of one transaction, on some databases all of one second, the same age.
        """
        rows = self._rows
        newest = connection.execute(select(func.max(rows.c.created_at)).where(self._alive())).scalar()
        first = max(_now_ms(), int(newest or 0) + 1)
        connection.execute(
            update(rows)
            .where(rows.c.workflow_uuid == bindparam("ticket"))
            .values(priority=bindparam("rank"), created_at=bindparam("age")),
            [
                {"ticket": name_of(ticket), "rank": ticket.priority, "age": first + number}
                for number, ticket in enumerate(tickets)
            ],
        )

    def reprioritise(self, connection: Connection, tickets: Sequence[Ticket], priority: int) -> None:
        rows = self._rows
        for chunk in chunks([name_of(ticket) for ticket in tickets]):
            connection.execute(
                update(rows)
                .where(self._alive(QUEUED), rows.c.workflow_uuid.in_(chunk))
                .values(priority=priority)
            )

    def depth(self, connection: Connection) -> Depth:
        rows = self._rows
        counted = select(rows.c.status, func.count()).where(self._alive()).group_by(rows.c.status)
        counts: dict[str, int] = dict(connection.execute(counted).all())
        return Depth(queued=counts.get(QUEUED, 0), running=counts.get(RUNNING, 0))

    def waiting(self, connection: Connection, limit: int) -> tuple[ShardId, ...]:
        rows = self._rows
        ordered = (
            select(rows.c.workflow_uuid)
            .where(self._alive(QUEUED))
            .order_by(rows.c.priority, rows.c.created_at)
            .limit(limit)
        )
        return tuple(shard_of(ticket) for ticket in connection.execute(ordered).scalars())

    def next_partitions(self, connection: Connection, partitions: Sequence[str], limit: int) -> list[str]:
        """Of the tickets in these partitions that are to start next, the partition of each."""
        rows = self._rows
        ordered = (
            select(rows.c.queue_partition_key)
            .where(self._alive(QUEUED), rows.c.queue_partition_key.in_(partitions))
            .order_by(rows.c.priority, rows.c.created_at)
            .limit(limit)
        )
        return list(connection.execute(ordered).scalars())

    def claimed(self, connection: Connection, ticket: str, worker_id: str) -> Delivery | None:
        """The ticket as this worker has it; None if it was withdrawn or taken over meanwhile."""
        rows = self._rows
        mine = select(rows.c.owner_xid, rows.c.recovery_attempts).where(
            self._held_by(worker_id), rows.c.workflow_uuid == ticket
        )
        row = connection.execute(mine).one_or_none()
        return (
            None if row is None else Delivery(ticket, shard_of(ticket), row.owner_xid, row.recovery_attempts)
        )

    def tokens(self, connection: Connection, worker_id: str) -> dict[str, str]:
        """Of every ticket that is this worker's."""
        rows = self._rows
        mine = select(rows.c.workflow_uuid, rows.c.owner_xid).where(self._held_by(worker_id))
        return dict(connection.execute(mine).all())

    def hand_back(self, connection: Connection, worker_id: str, ticket: str, token: str) -> None:
        """Queue it again in its old place, as if it had not been delivered."""
        rows = self._rows
        self._requeue(
            connection,
            self._held_by(worker_id) & (rows.c.workflow_uuid == ticket) & (rows.c.owner_xid == token),
            deliveries_back=1,
        )

    def hand_back_all(self, connection: Connection, worker_id: str) -> None:
        self._requeue(connection, self._held_by(worker_id), deliveries_back=1)

    def take_over(self, connection: Connection, worker_id: str) -> int:
        """Queue again what a dead worker had, in its old place; a second caller finds nothing to do."""
        return self._requeue(connection, self._held_by(worker_id), deliveries_back=0)

    def _requeue(self, connection: Connection, which: ColumnElement[bool], *, deliveries_back: int) -> int:
        rows = self._rows
        return connection.execute(
            update(rows)
            .where(which)
            .values(
                status=QUEUED,
                owner_xid=None,
                started_at_epoch_ms=None,
                updated_at=_now_ms(),
                recovery_attempts=rows.c.recovery_attempts - deliveries_back,
            )
        ).rowcount

    def ended(self, connection: Connection, *, age_s: float, limit: int) -> list[str]:
        """Tickets that ended so long ago."""
        rows = self._rows
        before = _now_ms() - int(age_s * 1000)
        old = (
            select(rows.c.workflow_uuid)
            .where(rows.c.created_at < before, rows.c.completed_at < before, rows.c.name == WORKFLOW)
            .limit(limit)
        )
        return list(connection.execute(old).scalars())

    def _held_by(self, worker_id: str) -> ColumnElement[bool]:
        return self._alive(RUNNING) & (self._rows.c.executor_id == worker_id)

    def _alive(self, status: Status | None = None) -> ColumnElement[bool]:
        rows = self._rows
        wanted = rows.c.status == status if status else rows.c.status.in_((QUEUED, RUNNING))
        return (rows.c.queue_name == QUEUE) & wanted


def chunks(values: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(values)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk


def _now_ms() -> int:
    return int(time.time() * 1000)
