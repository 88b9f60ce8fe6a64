"""The queue of shards in the database, with dbos as the engine behind it."""

import asyncio
from collections.abc import Sequence
from functools import partial

from dbos import DBOSClient, EnqueueOptions
from sqlalchemy import URL, Connection

from assay.adapters.queue import service
from assay.adapters.queue.database import QueueDatabase, teach_subseconds
from assay.adapters.queue.delivery import Duty
from assay.adapters.queue.rows import QUEUE, WORKFLOW, TicketRows, chunks, name_of, partition_of
from assay.adapters.queue.shift import Shift
from assay.domain.errors import ConflictError, InvalidValueError
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


async def open_queue(url: URL, *, is_pooled: bool = False, backoff_s: float = 2.0) -> "DurableQueue":
    """Open the queue in this database, creating or upgrading its tables as needed; raises StoreError.

    `is_pooled` says that a PgBouncer stands in between.
    """
    database = QueueDatabase(url, is_pooled=is_pooled)
    try:
        await database.call(partial(_prepare, database))
    except BaseException:
        database.close()
        raise
    return DurableQueue(database, backoff_s=backoff_s)


def _prepare(database: QueueDatabase) -> None:
    with database.migrating() as engine:
        service.prepare(engine)


class DurableQueue:
    def __init__(self, database: QueueDatabase, *, backoff_s: float) -> None:
        self._database = database
        self._client: DBOSClient = service.client(database.engine)
        self._rows = TicketRows(None if database.is_sqlite else service.SCHEMA)
        self._backoff_s = backoff_s
        self._shift: Shift | None = None

    async def submit(self, tickets: Sequence[Ticket]) -> None:
        await self._database.transact(partial(self._enqueue, tickets=tickets))

    def submit_within(self, transaction: object, tickets: Sequence[Ticket]) -> None:
        if not isinstance(transaction, Connection):
            raise InvalidValueError(f"a transaction is an open connection, not {transaction!r}")
        with self._database.speaking_plainly():
            self._enqueue(transaction, tickets)

    def _enqueue(self, connection: Connection, tickets: Sequence[Ticket]) -> None:
        fresh = self._rows.unknown(connection, tickets)
        if not fresh:
            return
        driver = connection.connection.dbapi_connection
        if self._database.is_sqlite and driver is not None:
            teach_subseconds(driver)
        for ticket in fresh:
            options = EnqueueOptions(
                workflow_name=WORKFLOW,
                queue_name=QUEUE,
                workflow_id=name_of(ticket),
                app_version=service.VERSION,
                queue_partition_key=partition_of(ticket.model, ticket.owner),
            )
            self._client.enqueue_in_transaction(connection, options)
        self._rows.line_up(connection, fresh)

    async def withdraw(self, tickets: Sequence[Ticket]) -> None:
        for names in chunks([name_of(ticket) for ticket in tickets]):
            await self._database.call(partial(self._client.cancel_workflows, names))

    async def reprioritise(self, tickets: Sequence[Ticket], priority: int) -> None:
        must_be_priority(priority)
        await self._database.transact(partial(self._rows.reprioritise, tickets=tickets, priority=priority))

    async def set_open(self, *, is_open: bool) -> None:
        await self._database.call(partial(service.set_open, self._client, is_open=is_open))

    async def depth(self) -> Depth:
        return await self._database.transact(self._rows.depth)

    async def waiting(self, limit: int) -> tuple[ShardId, ...]:
        return await self._database.transact(partial(self._rows.waiting, limit=limit))

    async def work(
        self,
        handler: Handler,
        *,
        on_poison: OnPoison,
        worker_id: str,
        slots: int,
        lane: Lane = WHOLE_QUEUE,
    ) -> None:
        if self._shift is not None:
            raise ConflictError("this queue is worked on already; drain it first")
        duty = Duty(handler, on_poison, worker_id, slots, self._backoff_s)
        self._shift = Shift(self._database, self._rows, self._client, duty, lane=lane)
        try:
            await self._shift.run()
        finally:
            self._shift = None

    async def drain(self, *, grace_s: float) -> None:
        await asyncio.sleep(0)  # Work that was only just asked for has begun after this.
        if self._shift is not None:
            await self._shift.departure.ask(grace_s=grace_s)

    async def take_over(self, dead_worker_id: str) -> int:
        return await self._database.transact(partial(self._rows.take_over, worker_id=dead_worker_id))

    async def close(self) -> None:
        await self.drain(grace_s=0)
        self._client.destroy()
        self._database.close()
