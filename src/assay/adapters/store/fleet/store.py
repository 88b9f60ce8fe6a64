"""Workers, and how busy the installation was."""

from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, delete, insert, select, update

from assay.adapters.store.database.clock import database_now
from assay.adapters.store.database.locks import Lock, hold
from assay.adapters.store.database.prepared import insert_rows
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.fleet.tables import connection_shares, fleet_minutes, workers
from assay.adapters.store.schema import later_revision
from assay.domain.run import RunId
from assay.domain.shard import ShardId
from assay.engine.stores.fleet import FleetMinute, Worker

_RUNNING = TypeAdapter(tuple[ShardId, ...])
_ENDPOINTS = TypeAdapter(dict[str, int])
_NAMES = TypeAdapter(tuple[str, ...])
_shares = connection_shares


class SqlFleetStore(DatabaseStore):
    @write
    def heartbeat(self, connection: Connection, worker: Worker) -> None:
        insert_rows(
            connection, workers, [_row(worker, seen_at=database_now(connection))], on_conflict="replace"
        )

    @read
    def workers(self, connection: Connection) -> tuple[Worker, ...]:
        statement = select(workers).where(workers.c.slots > 0).order_by(workers.c.started_at, workers.c.id)
        now = database_now(connection)
        return tuple(_worker(row, now) for row in connection.execute(statement))

    @write
    def remove_dead_workers(self, connection: Connection, *, silent_for_s: float) -> tuple[str, ...]:
        """Two callers at once never get the same row: the second finds it deleted."""
        unseen_since = database_now(connection) - timedelta(seconds=silent_for_s)
        statement = delete(workers).where(workers.c.last_seen < unseen_since).returning(workers.c.id)
        dead = tuple(sorted(connection.scalars(statement)))
        if dead:
            connection.execute(delete(_shares).where(_shares.c.worker_id.in_(dead)))
        return dead

    @write
    def remove_worker(self, connection: Connection, worker_id: str) -> None:
        connection.execute(delete(workers).where(workers.c.id == worker_id))
        connection.execute(delete(_shares).where(_shares.c.worker_id == worker_id))

    @write
    def share_connections(
        self, connection: Connection, run_id: RunId, worker_id: str, *, most: int, held: int
    ) -> int:
        # One after the other: two workers that join at once must not both get what is free.
        hold(connection, Lock.CONNECTIONS)
        rows = connection.execute(select(_shares).where(_shares.c.run_id == run_id))
        known = {row.worker_id: row.connections for row in rows}
        before = known.pop(worker_id, None)
        share = max(0, min(max(1, most // (1 + len(known))), most - sum(known.values())))
        stored = max(share, held)
        if before is None:
            connection.execute(insert(_shares).values(run_id=run_id, worker_id=worker_id, connections=stored))
        elif before != stored:
            own = (_shares.c.run_id == run_id) & (_shares.c.worker_id == worker_id)
            connection.execute(update(_shares).where(own).values(connections=stored))
        return share

    @write
    def leave_run(self, connection: Connection, run_id: RunId, worker_id: str) -> None:
        own = (_shares.c.run_id == run_id) & (_shares.c.worker_id == worker_id)
        connection.execute(delete(_shares).where(own))

    @read
    def executed_runs(self, connection: Connection, *, silent_for_s: float) -> frozenset[RunId]:
        unseen_since = database_now(connection) - timedelta(seconds=silent_for_s)
        statement = (
            select(_shares.c.run_id)
            .join(workers, workers.c.id == _shares.c.worker_id)
            .where(workers.c.last_seen >= unseen_since)
        )
        return frozenset(connection.scalars(statement))

    @read
    def later_schema(self, connection: Connection) -> str | None:
        return later_revision(connection)

    @write
    def record_minute(self, connection: Connection, minute: FleetMinute, *, forget_before: datetime) -> None:
        row = (minute.at, minute.worker_count, minute.running_runs, minute.queued_runs)
        insert_rows(connection, fleet_minutes, [row], on_conflict="replace")
        connection.execute(delete(fleet_minutes).where(fleet_minutes.c.minute < forget_before))

    @read
    def minutes_since(self, connection: Connection, since: datetime) -> tuple[FleetMinute, ...]:
        minute = fleet_minutes.c.minute
        statement = select(fleet_minutes).where(minute >= since).order_by(minute)
        return tuple(
            FleetMinute(row.minute, row.worker_count, row.running_runs, row.queued_runs)
            for row in connection.execute(statement)
        )


def _row(worker: Worker, *, seen_at: datetime) -> tuple[object, ...]:
    """In the order of the table's columns."""
    return (
        worker.id,
        worker.host,
        worker.started_at,
        seen_at,
        worker.slots,
        _RUNNING.dump_json(worker.running).decode(),
        _ENDPOINTS.dump_json(dict(worker.endpoints)).decode(),
        worker.version,
        worker.is_draining,
        _NAMES.dump_json(worker.only_models).decode(),
        _NAMES.dump_json(worker.only_owners).decode(),
        worker.sandbox or None,
    )


def _worker(row: Row[Any], now: datetime) -> Worker:
    return Worker(
        id=row.id,
        host=row.host,
        started_at=row.started_at,
        slots=row.slots,
        running=_RUNNING.validate_json(row.running),
        endpoints=_ENDPOINTS.validate_json(row.endpoints),
        version=row.version,
        is_draining=row.is_draining,
        only_models=_NAMES.validate_json(row.only_models),
        only_owners=_NAMES.validate_json(row.only_owners),
        sandbox=row.sandbox or "",
        silent_s=(now - row.last_seen).total_seconds(),
    )
