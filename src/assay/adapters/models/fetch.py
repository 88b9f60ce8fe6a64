"""Reads a JSON document of bounded size from a server."""

import asyncio

import aiohttp
from yarl import URL

from assay.adapters.models.json_text import loads
from assay.adapters.models.session import ClientLimits, SharedSession
from assay.adapters.models.transport_errors import FAILURES, cause, reason
from assay.domain.errors import EndpointError, EndpointUnreachableError, UnauthorizedError
from assay.domain.messages import Json

_REFUSALS = (401, 403)
_CHUNK_BYTES = 64 * 1024
_MEBIBYTE = 1024**2


class DocumentReader:
    """`timeout_s` limits one document as a whole."""

    def __init__(self, session: SharedSession, limits: ClientLimits, *, timeout_s: float) -> None:
        self._session = session
        self._max_bytes = limits.max_reply_bytes
        self._timeout = aiohttp.ClientTimeout(total=timeout_s, connect=limits.connect_s)

    async def document(self, url: URL, *, shown: str, headers: dict[str, str] | None = None) -> Json:
        """Raises EndpointError, whose message names the URL as `shown`."""
        try:
            async with self._session.current().get(url, headers=headers, timeout=self._timeout) as response:
                _raise_for_status(response.status, shown)
                body = await self._body(response, shown)
        except FAILURES as error:
            message = f"{shown!r} cannot be reached: {reason(error)}; check the address"
            raise EndpointUnreachableError(message) from cause(error)
        try:
            return await asyncio.to_thread(loads, body)
        except ValueError as error:
            raise EndpointError(f"{shown!r} sent something that is not JSON") from error

    async def _body(self, response: aiohttp.ClientResponse, shown: str) -> bytes:
        body = bytearray()
        async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
            body += chunk
            if len(body) > self._max_bytes:
                limit = f"{self._max_bytes / _MEBIBYTE:g} MiB"
                raise EndpointError(f"{shown!r} sent more than {limit}, too much for a list of models")
        return bytes(body)


def _raise_for_status(status: int, shown: str) -> None:
    if status in _REFUSALS:
        raise UnauthorizedError(
            f"{shown!r} answered {status}: it refuses the key, or wants one", status=status
        )
    if not 200 <= status < 300:  # noqa: PLR2004
        raise EndpointError(f"{shown!r} answered {status}", status=status)
