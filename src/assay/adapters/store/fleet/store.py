"""Workers, and how busy the installation was."""

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, delete, select

from assay.adapters.store.database.prepared import insert_rows
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.fleet.tables import fleet_minutes, workers
from assay.domain.shard import ShardId
from assay.engine.stores.fleet import FleetMinute, Worker

_RUNNING = TypeAdapter(tuple[ShardId, ...])
_ENDPOINTS = TypeAdapter(dict[str, int])
_NAMES = TypeAdapter(tuple[str, ...])


class SqlFleetStore(DatabaseStore):
    @write
    def heartbeat(self, connection: Connection, worker: Worker) -> None:
        insert_rows(connection, workers, [_row(worker)], on_conflict="replace")

    @read
    def workers(self, connection: Connection) -> tuple[Worker, ...]:
        statement = select(workers).order_by(workers.c.started_at, workers.c.id)
        return tuple(_worker(row) for row in connection.execute(statement))

    @write
    def remove_dead_workers(self, connection: Connection, *, unseen_since: datetime) -> tuple[str, ...]:
        """Two callers at once never get the same row: the second finds it deleted."""
        statement = delete(workers).where(workers.c.last_seen < unseen_since).returning(workers.c.id)
        return tuple(sorted(connection.scalars(statement)))

    @write
    def remove_worker(self, connection: Connection, worker_id: str) -> None:
        connection.execute(delete(workers).where(workers.c.id == worker_id))

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


def _row(worker: Worker) -> tuple[object, ...]:
    """In the order of the table's columns."""
    return (
        worker.id,
        worker.host,
        worker.started_at,
        worker.last_seen,
        worker.slots,
        _RUNNING.dump_json(worker.running).decode(),
        _ENDPOINTS.dump_json(dict(worker.endpoints)).decode(),
        worker.version,
        worker.is_draining,
        _NAMES.dump_json(worker.only_models).decode(),
        _NAMES.dump_json(worker.only_owners).decode(),
    )


def _worker(row: Row[Any]) -> Worker:
    return Worker(
        id=row.id,
        host=row.host,
        started_at=row.started_at,
        last_seen=row.last_seen,
        slots=row.slots,
        running=_RUNNING.validate_json(row.running),
        endpoints=_ENDPOINTS.validate_json(row.endpoints),
        version=row.version,
        is_draining=row.is_draining,
        only_models=_NAMES.validate_json(row.only_models),
        only_owners=_NAMES.validate_json(row.only_owners),
    )
