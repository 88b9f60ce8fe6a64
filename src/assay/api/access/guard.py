"""Checks every request before it reaches an endpoint."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.api.endpoint_policy import is_loopback
from assay.api.errors import ProblemError, problem_response

MAX_BODY_BYTES: Final = 1_000_000
# Uploads are read in pieces.
_LARGER_BODIES: Final = {"/api/exports/verify": 256 * 1024 * 1024}
# Limited by a setting.
DATASET_UPLOADS: Final = frozenset({"/admin/datasets/upload", "/v1/files"})
_CHANGING: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_LENGTH_DIGITS: Final = 18
_POLICY_VIOLATION: Final = 1008
_DRAINED_BYTES: Final = 16_000_000
_DRAINED_S: Final = 5.0
# A caller who sends nothing for so long has gone, or only holds the connection open.
_SILENCE_S: Final = 60.0
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Guard:
    """Accepts only requests to a known host name, from pages of this server, and of limited size.

    Without the first check, a web page could reach the API by DNS rebinding; without the second, any page
    could start runs, because browsers send such requests without asking.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str] = (),
        origins: Collection[str] = (),
        upload_bytes: int = MAX_BODY_BYTES,
        silence_s: float = _SILENCE_S,
    ) -> None:
        """Pages of `origins` may do what the server's own pages may."""
        self._app = app
        self._upload_bytes = upload_bytes
        self._silence_s = silence_s
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            limit = self._max_bytes(scope["path"])
            checked = _limited(receive, limit, self._silence_s) if scope["type"] == "http" else receive
            await self._app(scope, checked, send)
        elif scope["type"] == "http":
            # A client that sends Expect waits for the response before it sends the body.
            if "expect" not in Headers(scope=scope):
                await _drain(receive)
            await problem_response(scope["path"], refusal)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})

    def _refusal(self, scope: Scope) -> ProblemError | None:
        headers = Headers(scope=scope)
        host = _name(headers.get("host", ""))
        if not self._is_own(host):
            return ProblemError(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"{host!r} is not a name of this server; use a loopback address or a configured host name",
                code="misdirected-request",
            )
        origin = headers.get("origin")
        # Browsers open websockets to any origin.
        is_changing = scope["type"] == "websocket" or scope["method"] in _CHANGING
        if is_changing and origin is not None and not self._is_own_page(origin, headers.get("host", "")):
            detail = f"a page from {origin!r} may not change anything here"
            return ProblemError(HTTPStatus.FORBIDDEN, detail, code="foreign-origin")
        limit = self._max_bytes(scope["path"])
        if _is_too_long(headers.get("content-length", ""), limit):
            return ProblemError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large(limit), code="content-too-large"
            )
        return None

    def _max_bytes(self, path: str) -> int:
        return self._upload_bytes if path in DATASET_UPLOADS else max_bytes(path)

    def _is_own(self, host: str) -> bool:
        return is_loopback(host) or host in self._hosts

    def _is_own_page(self, origin: str, host: str) -> bool:
        """Whether the page comes from where the request goes: other ports belong to other programs.

        A proxy in front may name another host in the request, so that pages of configured names may come
        from the usual ports too.
        """
        if origin in self._origins:
            return True
        page = _host_and_port(origin)
        scheme = origin.partition(":")[0]
        if page is None or not self._is_own(page[0]):
            return False
        return page == _host_and_port(f"{scheme}://{host}") or (
            page[0] in self._hosts and page[1] == _DEFAULT_PORTS.get(scheme)
        )


def max_bytes(path: str) -> int:
    return _LARGER_BODIES.get(path, MAX_BODY_BYTES)


def _too_large(limit: int) -> str:
    return f"a request may have up to {limit:,} bytes"


def _limited(receive: Receive, limit: int, silence_s: float) -> Receive:
    """Count the received bytes, because a chunked request does not state its length."""
    received = 0
    is_whole = False

    async def counted() -> Message:
        nonlocal received, is_whole
        try:
            # After the body, the next message is the end of the connection.
            async with asyncio.timeout(None if is_whole else silence_s):
                message = await receive()
        except TimeoutError as error:
            detail = f"nothing of the body came for {silence_s:g} s"
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, detail) from error
        is_whole = not message.get("more_body", False)
        received += len(message.get("body", b""))
        if received > limit:
            await _drain(receive)
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large(limit))
        return message

    return counted


async def _drain(receive: Receive) -> None:
    """Read the rest of the body up to a limit: many clients read the response only after sending it."""
    left = _DRAINED_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAINED_S):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body"):
                    return


def _is_too_long(content_length: str, limit: int) -> bool:
    if not content_length.isdecimal():
        return False
    return len(content_length) > _LENGTH_DIGITS or int(content_length) > limit


def _name(host: str) -> str:
    """The host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().removesuffix(".")


def _host_and_port(origin: str) -> tuple[str, int | None] | None:
    try:
        parts = urlsplit(origin)
        return (parts.hostname or "").removesuffix("."), parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
