"""Connections to one origin, kept open between exchanges."""

import asyncio
import ssl
from collections import deque
from time import perf_counter

from yarl import URL

from assay.adapters.models.connection import Connection, Receiver, Timeouts

# Below the 5 s after which uvicorn, and so most local servers, close an idle connection: a request written
# to a closing connection is lost.
_KEEP_ALIVE_S = 4.0
# How long to wait for the end of a reply whose last chunk has arrived.
_DRAIN_S = 0.25


class ConnectError(Exception):
    """No connection could be made; the cause says why."""


class ConnectTimeoutError(ConnectError):
    """No connection was made in time."""


class ConnectionPool:
    """One connection per concurrent exchange; the engine limits how many there are."""

    def __init__(self, origin: URL, *, connect_s: float) -> None:
        self._host = origin.raw_host or ""
        self._port = origin.port or 80
        self._is_secure = origin.scheme == "https"
        self._context: ssl.SSLContext | None = None
        self._connect_s = connect_s
        self._idle: deque[Connection] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def exchange(self, request: bytes, receiver: Receiver, timeouts: Timeouts) -> None:
        """Send the request and pass the reply to the receiver; raises ConnectError or WireError."""
        connection = self._reused() or await self._opened()
        await connection.exchange(request, receiver, timeouts)
        if connection.is_free:
            self._idle.append(connection)
        elif connection.is_open:
            asyncio.get_running_loop().call_later(_DRAIN_S, self._retire, connection)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _reused(self) -> Connection | None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            # A connection can be used only in the event loop that opened it.
            self._idle.clear()
            self._loop = loop
        oldest_s = perf_counter() - _KEEP_ALIVE_S
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open and connection.free_since_s > oldest_s:
                return connection
            connection.close()
        return None

    def _retire(self, connection: Connection) -> None:
        if connection.is_free and connection.is_open:
            self._idle.append(connection)
        else:
            connection.close()

    async def _opened(self) -> Connection:
        loop = asyncio.get_running_loop()
        if self._is_secure and self._context is None:
            self._context = ssl.create_default_context()
        try:
            async with asyncio.timeout(self._connect_s):
                _, connection = await loop.create_connection(
                    Connection, self._host, self._port, ssl=self._context
                )
        except TimeoutError as error:
            raise ConnectTimeoutError from error
        except OSError as error:
            raise ConnectError from error
        return connection
