"""Stores over SQLite in memory: what is stored is lost with the object."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from threading import Lock
from typing import TypeVar

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, text, update
from sqlalchemy.exc import SQLAlchemyError

from assay.adapters.store.database.failures import store_error
from assay.adapters.store.database.metadata import metadata
from assay.adapters.store.database.pragmas import BEGIN_WRITING, ISOLATION_LEVEL, configure
from assay.adapters.store.database.url import Location
from assay.adapters.store.fleet.store import SqlFleetStore
from assay.adapters.store.fleet.tables import workers
from assay.adapters.store.schema import HEAD
from assay.adapters.store.stores import sql_stores
from assay.engine.stores import Stores

T = TypeVar("T")


def memory_stores() -> Stores:
    return sql_stores(MemoryDatabase())


async def set_silent(stores: Stores, worker_id: str, silent_s: float) -> None:
    """Let the last heartbeat of the worker be so long ago."""
    assert isinstance(stores.fleet, SqlFleetStore)
    seen_at = datetime.now(UTC) - timedelta(seconds=silent_s)
    statement = update(workers).where(workers.c.id == worker_id).values(last_seen=seen_at)
    await stores.fleet.database.write(lambda connection: connection.execute(statement))


class MemoryDatabase:
    """Transactions run one after the other, in the thread of whoever asks for one."""

    location = Location("sqlite", URL.create("sqlite"), "SQLite database in memory")

    def __init__(self) -> None:
        self._connection = _engine().connect()
        self._lock = Lock()

    async def read(self, work: Callable[[Connection], T]) -> T:
        return self.run(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        return self.run(work)

    async def write_with_reserve(self, work: Callable[[Connection], T]) -> T:
        return self.run(work)

    def run(self, work: Callable[[Connection], T]) -> T:
        try:
            with self._lock, self._connection.begin():
                return work(self._connection)
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise store_error(error, self.location) from error

    async def close(self) -> None:
        self._connection.close()


@cache
def _engine() -> Engine:
    """One for all databases: a statement is compiled once. Each connection is a database of its own."""
    engine = create_engine("sqlite://", poolclass=NullPool, creator=_new_database, hide_parameters=True)

    def open_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(BEGIN_WRITING)

    event.listen(engine, "begin", open_transaction)
    return engine


def _new_database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=ISOLATION_LEVEL, check_same_thread=False)
    connection.deserialize(_empty_database())
    configure(connection)
    return connection


@cache
def _empty_database() -> bytes:
    """A database with all tables: copying it is quicker than making them."""
    connection = sqlite3.connect(":memory:")
    with create_engine("sqlite://", creator=lambda: connection).begin() as tables:
        metadata.create_all(tables)
        tables.execute(text("CREATE TABLE alembic_version (version_num TEXT)"))
        tables.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": HEAD})
        return connection.serialize()
