"""Sends one notification over HTTP."""

from collections.abc import Mapping
from typing import Final

import aiohttp

from assay.domain.errors import EndpointUnreachableError

_TIMEOUT: Final = aiohttp.ClientTimeout(total=15)


async def send_webhook(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """The status of the response, which is not read; raises EndpointUnreachableError.

    A redirect is not followed: only the address that was checked receives anything.
    """
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT, cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.post(url, data=body, headers=headers, allow_redirects=False) as response,
        ):
            return response.status
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise EndpointUnreachableError(f"the webhook could not be sent: {type(error).__name__}") from error
