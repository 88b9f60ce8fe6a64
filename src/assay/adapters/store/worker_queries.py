"""Workers: who executes shards, and who has not been heard of."""

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, delete, select

from assay.adapters.store.prepared import prepared_insert
from assay.adapters.store.tables import workers
from assay.domain.shard import ShardId
from assay.engine.stores.fleet import Worker

_RUNNING = TypeAdapter(tuple[ShardId, ...])
_ENDPOINTS = TypeAdapter(dict[str, int])
_NAMES = TypeAdapter(tuple[str, ...])


def put(connection: Connection, worker: Worker) -> None:
    insert = prepared_insert(workers, connection.dialect.name, on_conflict="replace")
    insert.run(connection, insert.converted([_row(worker)]))


def every(connection: Connection) -> tuple[Worker, ...]:
    statement = select(workers).order_by(workers.c.started_at, workers.c.id)
    return tuple(_worker(row) for row in connection.execute(statement))


def take_unseen(connection: Connection, since: datetime) -> tuple[str, ...]:
    """A row that two callers want at once is gone for the second of them."""
    statement = delete(workers).where(workers.c.last_seen < since).returning(workers.c.id)
    return tuple(sorted(connection.scalars(statement)))


def remove(connection: Connection, worker_id: str) -> None:
    connection.execute(delete(workers).where(workers.c.id == worker_id))


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
