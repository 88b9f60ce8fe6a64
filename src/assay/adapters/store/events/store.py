"""Events under ids that a reader can resume from."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from assay.adapters.store.database.codec import json_object, json_text
from assay.adapters.store.database.locks import Lock, hold
from assay.adapters.store.database.transactions import DatabaseStore, read
from assay.adapters.store.events.tables import events
from assay.domain.event import Event, EventType
from assay.domain.run import RunId


class SqlEventStore(DatabaseStore):
    async def add(self, events: Sequence[Event]) -> None:
        await self.database.write_with_reserve(lambda connection: insert_events(connection, events))

    @read
    def page(
        self, connection: Connection, run_id: RunId | None, *, after: int = 0, limit: int = 500
    ) -> tuple[Event, ...]:
        statement = select(events).where(events.c.id > after).order_by(events.c.id).limit(limit)
        if run_id is not None:
            statement = statement.where(events.c.run_id == run_id)
        return tuple(_event(row) for row in connection.execute(statement))

    @read
    def newest_moments(self, connection: Connection, run_ids: Sequence[RunId]) -> Mapping[RunId, datetime]:
        newest = select(func.max(events.c.id)).where(events.c.run_id.in_(run_ids)).group_by(events.c.run_id)
        statement = select(events.c.run_id, events.c.created_at).where(events.c.id.in_(newest))
        return {RunId(row.run_id): row.created_at for row in connection.execute(statement)}

    @read
    def newest_id(self, connection: Connection) -> int:
        return connection.scalar(select(func.max(events.c.id))) or 0


def insert_events(connection: Connection, added: Sequence[Event]) -> None:
    """Must come last in its transaction.

    Postgres gives out ids when rows are written, not when they become visible: a reader could see 8, resume
    after it and never see 7, whose transaction ended later. So one transaction at a time writes events; its
    lock is released after the commit, and ids become visible in their order.
    """
    if not added:
        return
    hold(connection, Lock.EVENTS)
    connection.execute(insert(events), [_values(event) for event in added])


def _values(event: Event) -> dict[str, object]:
    return {
        "run_id": event.run_id,
        "type": event.type.value,
        "created_at": event.created_at,
        "message": event.message,
        "benchmark": event.benchmark,
        "model": event.model,
        "data": json_text(event.data) if event.data else None,
    }


def _event(row: Row[Any]) -> Event:
    return Event(
        run_id=row.run_id,
        type=EventType(row.type),
        created_at=row.created_at,
        message=row.message,
        benchmark=row.benchmark,
        model=row.model,
        data={} if row.data is None else json_object(row.data),
        id=row.id,
    )
