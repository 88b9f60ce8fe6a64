"""Sealed keys of callers, which are stored with their run and removed when it ends."""

from sqlalchemy import Connection, delete, insert, select

from assay.adapters.store.database.transactions import DatabaseStore, read
from assay.adapters.store.secrets.tables import secrets
from assay.domain.run import Run, RunId


class SqlSecretStore(DatabaseStore):
    @read
    def get(self, connection: Connection, credential: str) -> bytes | None:
        return connection.scalar(select(secrets.c.sealed).where(secrets.c.id == credential))


def insert_secret(connection: Connection, run: Run, sealed_key: bytes) -> None:
    values = {
        "id": run.spec.credential,
        "run_id": run.id,
        "sealed": sealed_key,
        "created_at": run.created_at,
    }
    connection.execute(insert(secrets), values)


def delete_secrets(connection: Connection, run_id: RunId) -> None:
    connection.execute(delete(secrets).where(secrets.c.run_id == run_id))
