"""Transactions on Postgres, on the event loop."""

from collections.abc import Callable
from typing import TypeVar

import psycopg
from sqlalchemy import Connection, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from assay.adapters.store.database.failures import store_error
from assay.adapters.store.database.url import Location

_T = TypeVar("_T")
_Work = Callable[[Connection], _T]

# Kept by each process, and at most: transactions are short, so waiting for one costs less than having more.
_CONNECTIONS = 4
_MOST_CONNECTIONS = 10
# The server ends the transactions of a machine that is gone: their locks would stop all others for hours.
_TIMEOUTS = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;"
    " SET idle_in_transaction_session_timeout = '60s'"
)


class PostgresDatabase:
    def __init__(self, location: Location, engine: AsyncEngine) -> None:
        self.location = location
        self.engine = engine
        self._reader = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    async def read(self, work: _Work[_T]) -> _T:
        return await self._run(self._reader, work)

    async def write(self, work: _Work[_T]) -> _T:
        return await self._run(self.engine, work)

    async def write_with_reserve(self, work: _Work[_T]) -> _T:
        return await self.write(work)

    async def _run(self, engine: AsyncEngine, work: _Work[_T]) -> _T:
        try:
            async with engine.begin() as connection:
                return await connection.run_sync(work)
        except (SQLAlchemyError, psycopg.Error, OSError) as error:
            raise store_error(error, self.location) from error

    async def close(self) -> None:
        await self.engine.dispose()


def postgres_engine(location: Location) -> AsyncEngine:
    engine = create_async_engine(
        location.url,
        hide_parameters=True,
        pool_size=_CONNECTIONS,
        max_overflow=_MOST_CONNECTIONS - _CONNECTIONS,
        # Servers restart and hosts close idle connections: a dead one is replaced, not handed out.
        pool_pre_ping=True,
        connect_args={"prepare_threshold": None} if location.is_pooled else {},
    )
    if not location.is_pooled:
        event.listen(engine.sync_engine, "connect", _set_timeouts)
    return engine


def _set_timeouts(connection: DBAPIConnection, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute(_TIMEOUTS)
    cursor.close()
    connection.commit()
