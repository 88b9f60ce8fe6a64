"""Events under ids that a reader can resume from."""

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from assay.adapters.store import run_rows
from assay.adapters.store.locks import Lock, hold
from assay.adapters.store.tables import events
from assay.domain.event import Event
from assay.domain.run import RunId


def add(connection: Connection, added: Sequence[Event]) -> None:
    """Must come last in its transaction.

    Postgres gives out ids when rows are written, not when they become visible: a reader could see 8, resume
    after it and never see 7, whose transaction ended later. So one transaction at a time writes events; its
    lock is released after the commit, and ids become visible in their order.
    """
    if not added:
        return
    hold(connection, Lock.EVENTS)
    connection.execute(insert(events), [run_rows.event_values(event) for event in added])


def page(connection: Connection, run_id: RunId | None, *, after: int, limit: int) -> tuple[Event, ...]:
    statement = select(events).where(events.c.id > after).order_by(events.c.id).limit(limit)
    if run_id is not None:
        statement = statement.where(events.c.run_id == run_id)
    return tuple(run_rows.event_from(row) for row in connection.execute(statement))
