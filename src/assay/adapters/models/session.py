"""The connections that all models of a process share, and their limits."""

import asyncio
from dataclasses import dataclass

import aiohttp
from yarl import URL

from assay.adapters.models.pool import ConnectionPool

_HEADERS = {"User-Agent": "assay"}


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """Timeouts and sizes; `silence_s` ends a silent stream, whole replies have `total_s` alone."""

    connect_s: float = 15.0
    silence_s: float = 300.0
    total_s: float = 1_800.0
    check_s: float = 15.0
    max_reply_bytes: int = 32 * 1024 * 1024


class SharedSession:
    """Opened by the first request, closed when its last user leaves."""

    def __init__(self, limits: ClientLimits) -> None:
        self._limits = limits
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._users = 0
        self._pools: dict[URL, ConnectionPool] = {}

    def pool(self, url: URL) -> ConnectionPool:
        """The connections for completions."""
        origin = url.origin()
        if origin not in self._pools:
            self._pools[origin] = ConnectionPool(origin, connect_s=self._limits.connect_s)
        return self._pools[origin]

    def join(self) -> None:
        self._users += 1

    async def leave(self) -> None:
        self._users -= 1
        if self._users > 0:
            return
        for pool in self._pools.values():
            pool.close()
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    def current(self) -> aiohttp.ClientSession:
        """The session of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            self._loop = loop
            self._session = self._opened()
        return self._session

    def _opened(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            timeout=aiohttp.ClientTimeout(total=self._limits.total_s, connect=self._limits.connect_s),
        )
