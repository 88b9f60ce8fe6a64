"""The HTTP session that all models of a process share."""

import asyncio

import aiohttp

from assay.adapters.models.limits import ClientLimits

# Below the 5 s after which uvicorn, and so most local servers, drop an idle connection: a request written
# into a closing one is lost.
_KEEP_ALIVE_S = 4.0
_DNS_CACHE_S = 300
_HEADERS = {
    "User-Agent": "assay",
    # A compressed stream comes in bursts, and the clock would measure the compressor.
    "Accept-Encoding": "identity",
}


class SharedSession:
    """Opened with the first request, closed when the last of its users leaves."""

    def __init__(self, limits: ClientLimits) -> None:
        self._limits = limits
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._users = 0

    def join(self) -> None:
        self._users += 1

    async def leave(self) -> None:
        self._users -= 1
        if self._users <= 0 and self._session is not None:
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
            connector=aiohttp.TCPConnector(
                # The engine limits concurrency; a second queue here would count as waiting for the model.
                limit=0,
                keepalive_timeout=_KEEP_ALIVE_S,
                ttl_dns_cache=_DNS_CACHE_S,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            timeout=aiohttp.ClientTimeout(total=self._limits.total_s, connect=self._limits.connect_s),
        )
