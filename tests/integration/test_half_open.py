"""Connections to PostgreSQL whose other end is gone do not last."""

import socket

import psycopg
import pytest
from sqlalchemy import Connection, text

from assay.adapters.store.database.database import connected
from assay.adapters.store.database.url import located

pytestmark = pytest.mark.postgres


def keepalive_options(descriptor: int) -> dict[str, int]:
    """The socket options that say how soon a silent peer is given up; times in seconds."""
    with socket.socket(fileno=socket.dup(descriptor)) as one:
        return {
            "keepalive": one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
            "idle_s": one.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE),
            "interval_s": one.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL),
            "count": one.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT),
            "unacknowledged_s": one.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) // 1000,
        }


SOON = {"keepalive": 1, "idle_s": 30, "interval_s": 10, "count": 3, "unacknowledged_s": 60}


async def test_a_process_gives_up_a_server_that_is_gone(postgres_url: str) -> None:
    def look(connection: Connection) -> dict[str, int]:
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.AsyncConnection)
        return keepalive_options(driver.fileno())

    database = connected(located(postgres_url))
    try:
        assert await database.read(look) == SOON
    finally:
        await database.close()


async def test_the_server_ends_a_transaction_that_its_client_has_left(postgres_url: str) -> None:
    def settings(connection: Connection) -> list[str]:
        names = ("tcp_keepalives_idle", "idle_in_transaction_session_timeout")
        return [connection.execute(text(f"SHOW {name}")).scalar_one() for name in names]

    database = connected(located(postgres_url))
    try:
        assert await database.read(settings) == ["30", "1min"]
    finally:
        await database.close()
