"""Connections to one origin, kept open between exchanges."""

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from time import perf_counter

from yarl import URL

from assay.adapters.models.wire.connection import Connection, CutError, ExchangeLimits, Receiver
from assay.adapters.models.wire.keepalive import probe_peer
from assay.adapters.models.wire.proxy import Proxy, basic_authorization, tunnelled
from assay.domain.errors import InvalidValueError

# How long to wait for the end of a reply whose last chunk has arrived.
_DRAIN_S = 0.25


class ConnectError(Exception):
    """No connection could be made; the cause says why."""


class ConnectTimeoutError(ConnectError):
    """No connection was made in time."""


class ConnectionPool:
    """One connection per concurrent exchange; the engine limits how many there are."""

    def __init__(
        self,
        origin: URL,
        *,
        connect_s: float,
        keep_alive_s: float,
        tls: Callable[[], ssl.SSLContext],
        proxy: Proxy | None = None,
    ) -> None:
        self._host = origin.raw_host or ""
        self._port = origin.port or 80
        self._is_secure = origin.scheme == "https"
        self._proxy = proxy
        self._tls = tls
        self._connect_s = connect_s
        self._keep_alive_s = keep_alive_s
        self._idle: deque[Connection] = deque()
        # What is left of their replies is read, so that they can be used again.
        self._draining: set[Connection] = set()
        self._closing: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def head(self, method: str, url: URL, headers: Mapping[str, str]) -> bytes:
        """Request line and headers, without the empty line that ends them."""
        is_forwarded = self._proxy is not None and not self._is_secure
        headers = {"Host": url.host_port_subcomponent or "", "User-Agent": "assay", **headers}
        lines = [
            f"{method} {url.with_user(None) if is_forwarded else url.raw_path_qs} HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        if "Authorization" not in headers and (own := basic_authorization(url)):
            lines.append(f"Authorization: {own}")
        if is_forwarded and self._proxy and self._proxy.authorization:
            lines.append(f"Proxy-Authorization: {self._proxy.authorization}")
        if any(not line.isprintable() for line in lines):
            raise InvalidValueError(
                "the endpoint's key or base URL holds a character that no header may have"
            )
        return "".join(f"{line}\r\n" for line in lines).encode()

    async def exchange(self, request: bytes, receiver: Receiver, limits: ExchangeLimits) -> None:
        """Send the request and pass the reply to the receiver; raises ConnectError or WireError.

        A server may close a kept connection at any time, so a request that was written to a closed one is
        sent again on another.
        """
        connection = self._reused()
        if connection is not None:
            try:
                await connection.exchange(request, receiver, limits)
            except CutError:
                if not connection.is_silent:
                    raise
                connection = None
        if connection is None:
            connection = await self._opened()
            await connection.exchange(request, receiver, limits)
        if connection.is_free:
            self._keep(connection)
        elif connection.is_open:
            self._draining.add(connection)
            asyncio.get_running_loop().call_later(_DRAIN_S, self._retire, connection)

    async def try_connection(self) -> None:
        """Raise ConnectError if no connection can be made."""
        (await self._opened()).close()

    def close(self) -> None:
        for connection in (*self._idle, *self._draining):
            connection.close()
        self._idle.clear()
        self._draining.clear()

    def _reused(self) -> Connection | None:
        self._forget_other_loops()
        oldest_s = perf_counter() - self._keep_alive_s
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open and connection.free_since_s > oldest_s:
                return connection
            connection.close()
        return None

    def _forget_other_loops(self) -> None:
        """A connection can be used only in the event loop that opened it."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._idle.clear()
            self._draining.clear()
            self._closing = None
            self._loop = loop

    def _retire(self, connection: Connection) -> None:
        self._draining.discard(connection)
        if connection.is_free and connection.is_open:
            self._keep(connection)
        else:
            connection.close()

    def _keep(self, connection: Connection) -> None:
        self._forget_other_loops()
        self._idle.append(connection)
        if self._closing is None:
            loop = asyncio.get_running_loop()
            self._closing = loop.call_later(self._keep_alive_s, self._close_idle)

    def _close_idle(self) -> None:
        """Close what was not used for too long; the connections at the left are free the longest."""
        self._closing = None
        oldest_s = perf_counter() - self._keep_alive_s
        while self._idle and self._idle[0].free_since_s <= oldest_s:
            self._idle.popleft().close()
        if self._idle:
            wait_s = self._idle[0].free_since_s - oldest_s
            self._closing = asyncio.get_running_loop().call_later(wait_s, self._close_idle)

    async def _opened(self) -> Connection:
        try:
            async with asyncio.timeout(self._connect_s):
                connection = await self._connected()
        except TimeoutError as error:
            raise ConnectTimeoutError from error
        except OSError as error:
            raise ConnectError from error
        return connection

    async def _connected(self) -> Connection:
        loop = asyncio.get_running_loop()
        context = self._tls() if self._is_secure else None
        if self._proxy is None:
            transport, connection = await loop.create_connection(
                Connection, self._host, self._port, ssl=context
            )
        elif context is None:
            transport, connection = await loop.create_connection(
                Connection, self._proxy.host, self._proxy.port
            )
        else:
            connection = Connection()
            transport = await tunnelled(
                self._proxy, (self._host, self._port), context=context, protocol=connection
            )
        probe_peer(transport.get_extra_info("socket"))
        return connection
