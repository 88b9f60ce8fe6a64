"""Load of the host of the remote sandbox service, as the service reports it."""

from collections.abc import Mapping

import aiohttp
import orjson
from yarl import URL

from assay.domain.errors import SandboxError
from assay.domain.json_value import Json

_TIMEOUT = aiohttp.ClientTimeout(total=10)
_MOST_BYTES = 4 * 1024 * 1024


class SandyTelemetry:
    """Raises SandboxError; the key is sent in a header and never appears in a message."""

    def __init__(self, base_url: str, key: str | None) -> None:
        self._base = URL(base_url.rstrip("/"))
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def resources(self) -> Json:
        return await self._fetched("api/resources", {})

    async def metrics(self, *, hours: int) -> Json:
        return await self._fetched("api/metrics/timeseries", {"hours": str(hours)})

    async def sandboxes(self, ids: tuple[str, ...]) -> Json:
        """All sandboxes if no ids are given."""
        return await self._fetched("api/sandboxes/stats", {"ids": ",".join(ids)} if ids else {})

    async def _fetched(self, path: str, query: Mapping[str, str]) -> Json:
        url = self._base.joinpath(path).with_query(query)
        try:
            async with (
                aiohttp.ClientSession(timeout=_TIMEOUT, headers=self._headers) as session,
                # A redirect would send the key to another host.
                session.get(url, allow_redirects=False) as answer,
            ):
                body = await answer.content.read(_MOST_BYTES + 1)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            # Not chained: such errors may hold the headers, with the key.
            message = f"GET /{path}: the sandbox service does not answer: {type(error).__name__}"
            raise SandboxError(message) from None
        if not answer.ok or len(body) > _MOST_BYTES:
            raise SandboxError(f"GET /{path}: the sandbox service answered {answer.status}, or too much")
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise SandboxError(f"GET /{path}: the sandbox service sent something that is not JSON") from error
