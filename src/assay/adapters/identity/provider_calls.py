"""Calls to an identity provider; errors never quote a token or what was sent."""

from collections.abc import Mapping
from typing import Final

import aiohttp
import orjson
from yarl import URL

from assay.domain.access.secret import Secret
from assay.domain.errors import EndpointUnreachableError, InvalidValueError, SignInError
from assay.domain.json_value import Json

_TIMEOUT = aiohttp.ClientTimeout(total=15)
_MAX_BYTES: Final = 1024 * 1024
_SERVER_ERRORS_FROM: Final = 500
_NAMES: Final = ("username", "preferred_username", "name", "email")
_MAX_SHOWN: Final = 200


def base_address(url: str, *, setting: str) -> URL:
    """The address that a setting holds, without a slash at its end."""
    try:
        base = URL(url.strip().rstrip("/"))
    except ValueError as error:
        raise InvalidValueError(f"{setting} cannot be read as an address") from error
    if base.scheme not in ("http", "https") or not base.host:
        raise InvalidValueError(f"{setting} must begin with http:// or https:// and name a host")
    return base


async def fetched(url: URL, *, access: Secret | None = None) -> Mapping[str, Json]:
    headers = {} if access is None else {"Authorization": f"Bearer {access.value}"}
    return await _answered("GET", url, headers=headers)


async def posted(
    url: URL, form: Mapping[str, str], *, authorization: str | None = None
) -> Mapping[str, Json]:
    headers = {} if authorization is None else {"Authorization": authorization}
    return await _answered("POST", url, form=form, headers=headers)


async def _answered(
    method: str, url: URL, *, headers: Mapping[str, str], form: Mapping[str, str] | None = None
) -> Mapping[str, Json]:
    shown = str(url.with_query(None))
    accepted = {"Accept": "application/json", **headers}
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as session,
            # A redirect would send tokens to another host.
            session.request(method, url, data=form, headers=accepted, allow_redirects=False) as answer,
        ):
            body = await _bounded(answer.content)
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        # Not chained: such errors may hold the headers, with the token.
        message = f"the identity provider {shown!r} cannot be reached ({type(error).__name__})"
        raise EndpointUnreachableError(message) from None
    if answer.status >= _SERVER_ERRORS_FROM:
        raise EndpointUnreachableError(f"the identity provider {shown!r} answered {answer.status}")
    reply = _object(body)
    if not answer.ok:
        raise SignInError(f"the identity provider {shown!r} refuses: {_error(reply, answer.status)}")
    return reply


async def _bounded(content: aiohttp.StreamReader) -> bytes:
    body = b""
    async for chunk in content.iter_any():
        body += chunk
        if len(body) > _MAX_BYTES:
            return b""
    return body


def access_token(reply: Mapping[str, Json]) -> Secret:
    access = reply.get("access_token")
    if not isinstance(access, str) or not access.isascii() or not access.isprintable() or " " in access:
        raise SignInError("the identity provider gave no token that can be used")
    return Secret(access)


def username(claims: Mapping[str, Json], *, otherwise: str) -> str:
    names = (claims.get(name) for name in _NAMES)
    found = next((name for name in names if isinstance(name, str) and name.strip()), otherwise)
    return found.strip()[:_MAX_SHOWN]


def _object(body: bytes) -> Mapping[str, Json]:
    try:
        reply: Json = orjson.loads(body) if body.strip() else {}
    except orjson.JSONDecodeError:
        return {}
    return reply if isinstance(reply, Mapping) else {}


def _error(reply: Mapping[str, Json], status: int) -> str:
    """The protocol's error code; a description might quote what was sent."""
    code = reply.get("error")
    is_code = isinstance(code, str) and code.replace("_", "").isalpha() and len(code) < _MAX_SHOWN
    return str(code) if is_code else f"status {status}"
