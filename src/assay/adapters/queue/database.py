"""The queue's own connections to the database: blocking ones, used from threads."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from dbos import error as dbos_errors
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from assay.domain.errors import StoreError

_BUSY_TIMEOUT_S = 30
_CONNECTIONS = 5
# Bounds how long a frozen worker can hold the rows it was about to claim.
_IDLE_TRANSACTION_MS = 60_000
_SQLITE_SETTINGS = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON")

T = TypeVar("T")


class QueueDatabase:
    """One engine, and the threads that wait for it so that the event loop does not."""

    def __init__(self, url: URL, *, is_pooled: bool = False) -> None:
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.engine = _sqlite(url) if self.is_sqlite else _postgres(url, is_pooled=is_pooled)
        self._name = repr(url.database)
        self._threads = ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="assay-queue")

    @contextmanager
    def migrating(self) -> Generator[Engine]:
        """An engine whose transactions exclude each other, to change the schema with."""
        engine = _sqlite(self.engine.url, is_exclusive=True) if self.is_sqlite else self.engine
        try:
            yield engine
        finally:
            if engine is not self.engine:
                engine.dispose()

    async def transact(self, work: Callable[[Connection], T]) -> T:
        def within() -> T:
            with self.engine.begin() as connection:
                return work(connection)

        return await self.call(within)

    async def call(self, work: Callable[[], T]) -> T:
        """Do it in a thread; what goes wrong is a StoreError."""
        with self.speaking_plainly():
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    @contextmanager
    def speaking_plainly(self) -> Generator[None]:
        """Turn what the database and dbos raise into a StoreError."""
        try:
            yield
        except (SQLAlchemyError, dbos_errors.DBOSException, OSError) as error:
            original = error.orig if isinstance(error, DBAPIError) else error
            detail = str(original).strip().partition("\n")[0] or type(original).__name__
            raise StoreError(
                f"the queue in the database {self._name} failed: {detail}; "
                "check that it can be reached and written"
            ) from error

    def close(self) -> None:
        self._threads.shutdown(wait=False)
        self.engine.dispose()


def _postgres(url: URL, *, is_pooled: bool) -> Engine:
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        hide_parameters=True,
        pool_size=_CONNECTIONS,
        max_overflow=2 * _CONNECTIONS,
        pool_pre_ping=True,
        connect_args={"prepare_threshold": None} if is_pooled else {},
    )

    def configure(connection: DBAPIConnection, _record: object) -> None:
        cursor = connection.cursor()
        cursor.execute(f"SET idle_in_transaction_session_timeout = {_IDLE_TRANSACTION_MS}")
        cursor.close()
        # Else the pool would roll the setting back with the first transaction.
        connection.commit()

    if not is_pooled:
        event.listen(engine, "connect", configure)
    return engine


def _sqlite(url: URL, *, is_exclusive: bool = False) -> Engine:
    engine = create_engine(
        url.set(drivername="sqlite+pysqlite"),
        hide_parameters=True,
        pool_size=_CONNECTIONS,
        max_overflow=2 * _CONNECTIONS,
        connect_args={"timeout": _BUSY_TIMEOUT_S},
    )

    def configure(connection: DBAPIConnection, _record: object) -> None:
        # dbos counts on this mode: reads hold no transaction, the first write takes the lock.
        connection.isolation_level = None if is_exclusive else "IMMEDIATE"
        cursor = connection.cursor()
        for setting in _SQLITE_SETTINGS:
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()
        teach_subseconds(connection)

    def open_transaction(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    event.listen(engine, "connect", configure)
    if is_exclusive:
        event.listen(engine, "begin", open_transaction)
    return engine


def teach_subseconds(connection: DBAPIConnection) -> None:
    """Make `unixepoch('subsec')` work on SQLite before 3.42, where it is NULL.

    From Python 3.12 on dbos relies on it, whatever SQLite there is.
    """

    def unixepoch(_modifier: str) -> float:
        return time.time()

    if sqlite3.sqlite_version_info < (3, 42):
        connection.create_function("unixepoch", 1, unixepoch)
