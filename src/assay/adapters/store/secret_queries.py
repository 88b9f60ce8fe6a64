"""Sealed keys of callers, each statement inside a transaction of the caller."""

from sqlalchemy import Connection, delete, insert, select

from assay.adapters.store.tables import secrets
from assay.domain.run import RunId
from assay.engine.stores.runs import NewRun


def add(connection: Connection, new: NewRun) -> None:
    if new.sealed_key is None:
        return
    run = new.run
    values = {
        "id": run.spec.credential,
        "run_id": run.id,
        "sealed": new.sealed_key,
        "created_at": run.created_at,
    }
    connection.execute(insert(secrets), values)


def sealed(connection: Connection, credential: str) -> bytes | None:
    return connection.scalar(select(secrets.c.sealed).where(secrets.c.id == credential))


def remove(connection: Connection, run_id: RunId) -> None:
    connection.execute(delete(secrets).where(secrets.c.run_id == run_id))
