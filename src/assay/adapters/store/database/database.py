"""Where transactions run: on threads of their own with SQLite, on the event loop with Postgres.

Statements are plain functions of a synchronous connection, so that both databases share them. On SQLite such
a function runs in a thread as a whole: a driver that goes to its thread and back for each step of each
statement took twice the time for a small batch.
"""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Protocol, TypeVar, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError

from assay.adapters.store.database.failures import store_error
from assay.adapters.store.database.pragmas import (
    BEGIN_WRITING,
    BUSY_TIMEOUT_S,
    ISOLATION_LEVEL,
    configure,
)
from assay.adapters.store.database.reserve import Reserve
from assay.adapters.store.database.url import Location
from assay.domain.errors import StoreError, StoreFullError

_T = TypeVar("_T")
_Work = Callable[[Connection], _T]

_SQLITE_READERS = 4
_OWNER_ONLY = 0o600
_OTHERS = 0o077
_BESIDE = ("-wal", "-shm", "-reserve")


class Database(Protocol):
    @property
    def location(self) -> Location: ...

    async def read(self, work: _Work[_T]) -> _T:
        """Run `work` on one snapshot."""
        ...

    async def write(self, work: _Work[_T]) -> _T:
        """Run `work` in a transaction: all it wrote becomes visible at once, or none of it."""
        ...

    async def write_with_reserve(self, work: _Work[_T]) -> _T:
        """Like `write`, for the few things that must be stored even when the disk is full."""
        ...

    async def close(self) -> None: ...


def connected(location: Location) -> Database:
    """Nothing is opened before the first transaction."""
    if location.kind == "postgresql":
        # The driver and SQLAlchemy's object mapper come with it: a fifth of what a command on SQLite imports.
        from assay.adapters.store.database.postgres import PostgresDatabase, postgres_engine  # noqa: PLC0415

        return PostgresDatabase(location, postgres_engine(location))
    return SqliteDatabase(
        location,
        writer=_sqlite_engine(location, connections=1, begin=BEGIN_WRITING),
        reader=_sqlite_engine(location, connections=_SQLITE_READERS, begin="BEGIN"),
    )


class SqliteDatabase:
    """One thread writes, a few read; write-ahead logging lets them work at the same time."""

    def __init__(self, location: Location, *, writer: Engine, reader: Engine) -> None:
        self.location = location
        self.writer = writer
        self.reader = reader
        self._write_thread = ThreadPoolExecutor(1, "assay-store-writer")
        self._read_threads = ThreadPoolExecutor(_SQLITE_READERS, "assay-store-reader")
        self._reserve = Reserve(location.path)

    async def read(self, work: _Work[_T]) -> _T:
        return await self._run(self._read_threads, self.reader, work)

    async def write(self, work: _Work[_T]) -> _T:
        return await self._run(self._write_thread, self.writer, work)

    async def write_with_reserve(self, work: _Work[_T]) -> _T:
        while True:
            try:
                return await self.write(work)
            except StoreFullError:
                if not await asyncio.to_thread(self._reserve.spend):
                    raise

    async def _run(self, threads: Executor, engine: Engine, work: _Work[_T]) -> _T:
        def transaction() -> _T:
            with engine.begin() as connection:
                return work(connection)

        try:
            return await asyncio.get_running_loop().run_in_executor(threads, transaction)
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise store_error(error, self.location) from error

    async def close(self) -> None:
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        """Waits for what is being written."""
        self._read_threads.shutdown()
        self._write_thread.shutdown()
        self.reader.dispose()
        self.writer.dispose()


def _sqlite_engine(location: Location, *, connections: int, begin: str) -> Engine:
    _make_folder(location)
    _keep_private(location)
    engine = create_engine(
        location.url,
        hide_parameters=True,
        pool_size=connections,
        max_overflow=0,
        connect_args={"timeout": BUSY_TIMEOUT_S, "isolation_level": ISOLATION_LEVEL},
    )

    def set_up(connection: DBAPIConnection, _record: object) -> None:
        # The driver's own connection; SQLAlchemy names only what all drivers have.
        configure(cast("sqlite3.Connection", connection))

    def open_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", open_transaction)
    return engine


def _keep_private(location: Location) -> None:
    """Create the file for its owner alone, or take the rights of others away; SQLite's other files follow."""
    path = location.path
    # Where the file cannot be created or changed, opening it says why. One that exists is not opened: closing
    # it would release the locks of this process, and another would remove the log that is in use.
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ONLY))
    for file in (path, *(path.with_name(path.name + ending) for ending in _BESIDE)):
        with contextlib.suppress(OSError):
            if file.stat().st_mode & _OTHERS:
                file.chmod(_OWNER_ONLY)


def _make_folder(location: Location) -> None:
    folder = location.path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot create the folder {str(folder)!r} for the database: {error.strerror}; "
            "name another place or make its parent writable"
        ) from error
