"""Reads documents of bounded size from servers."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from yarl import URL

from assay.adapters.models.http_errors import reported_message
from assay.adapters.models.json_text import loads
from assay.adapters.models.session import ClientLimits, SharedSession
from assay.adapters.models.transport_errors import FAILURES, reason
from assay.adapters.models.wire.connection import ExchangeLimits, TooLargeError
from assay.domain.access.secret import without_key
from assay.domain.calls.messages import Json
from assay.domain.errors import EndpointError, EndpointUnreachableError, UnauthorizedError

_REFUSALS = (401, 403)
_REDIRECTS = (301, 302, 303, 307, 308)
_MAX_REDIRECTS = 3
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "gzip, deflate"}


@dataclass(frozen=True, slots=True)
class Reply:
    """The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300  # noqa: PLR2004


class _Reader:
    """Receives a whole reply of limited size."""

    is_content = False

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._status = 0
        self._headers: dict[str, str] = {}
        self._body = bytearray()

    def written(self, at_s: float) -> None:
        """Nothing is timed here."""

    def begin(self, status: int, headers: Mapping[bytes, bytes]) -> None:
        self._status = status
        self._headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items()}

    def take(self, block: bytes, at_s: float) -> None:
        del at_s
        self._body += block
        if len(self._body) > self._max_bytes:
            raise TooLargeError

    def reply(self) -> Reply:
        return Reply(self._status, self._headers, bytes(self._body))


async def get(
    session: SharedSession, url: URL, *, headers: Mapping[str, str], limits: ExchangeLimits
) -> Reply:
    """Follows redirects within the origin alone: the headers may hold a key. Raises one of FAILURES."""
    for _ in range(_MAX_REDIRECTS):
        reply = await _exchanged(session, url, headers, limits)
        following = _redirected(url, reply)
        if following is None:
            return _without_key(reply, headers)
        url = following
    return _without_key(await _exchanged(session, url, headers, limits), headers)


async def post(
    session: SharedSession, url: URL, body: bytes, *, headers: Mapping[str, str], limits: ExchangeLimits
) -> Reply:
    """Follows no redirect: the headers may hold a key. Raises one of FAILURES."""
    pool, reader = session.pool(url), _Reader(limits.max_bytes)
    head = pool.head("POST", url, {**_HEADERS, "Content-Type": "application/json", **headers})
    await pool.exchange(b"%bContent-Length: %d\r\n\r\n%b" % (head, len(body), body), reader, limits)
    return _without_key(reader.reply(), headers)


async def _exchanged(
    session: SharedSession, url: URL, headers: Mapping[str, str], limits: ExchangeLimits
) -> Reply:
    pool, reader = session.pool(url), _Reader(limits.max_bytes)
    await pool.exchange(pool.head("GET", url, {**_HEADERS, **headers}) + b"\r\n", reader, limits)
    return reader.reply()


def _without_key(reply: Reply, sent: Mapping[str, str]) -> Reply:
    def hidden(text: str) -> str:
        for name, value in sent.items():
            text = text if name == "Host" else without_key(text, value.removeprefix("Bearer "))
        return text

    body = hidden(reply.body.decode("latin-1")).encode("latin-1")
    return Reply(reply.status, {name: hidden(text) for name, text in reply.headers.items()}, body)


def _redirected(url: URL, reply: Reply) -> URL | None:
    location = reply.headers.get("location")
    if reply.status not in _REDIRECTS or not location:
        return None
    try:
        following = url.join(URL(location))
        return following if following.origin() == url.origin() else None
    except ValueError:
        return None


class DocumentReader:
    """`timeout_s` limits one document as a whole."""

    def __init__(self, session: SharedSession, limits: ClientLimits, *, timeout_s: float) -> None:
        self._session = session
        self._limits = ExchangeLimits(timeout_s, limits.max_reply_bytes)

    async def document(self, url: URL, *, shown: str, headers: Mapping[str, str] | None = None) -> Json:
        """Raises EndpointError, whose message names the URL as `shown`."""
        try:
            reply = await get(self._session, url, headers=headers or {}, limits=self._limits)
        except TooLargeError as error:
            message = f"{shown!r} sent more than {_mebibytes(self._limits)}, too much for a list of models"
            raise EndpointError(message) from error
        except FAILURES as error:
            message = f"{shown!r} cannot be reached: {reason(error)}; check the address"
            raise EndpointUnreachableError(message) from error
        _raise_for_status(reply, shown)
        try:
            return await asyncio.to_thread(loads, reply.body)
        except ValueError as error:
            raise EndpointError(f"{shown!r} sent something that is not JSON") from error


def _mebibytes(limits: ExchangeLimits) -> str:
    return f"{limits.max_bytes / 1024**2:g} MiB"


def _raise_for_status(reply: Reply, shown: str) -> None:
    if reply.is_success:
        return
    message = f"{shown!r} answered {reply.status}"
    said = reported_message(reply.body, reply.headers)
    if reply.status in _REFUSALS:
        raise UnauthorizedError(f"{message}: it refuses the key, or wants one{said}", status=reply.status)
    raise EndpointError(f"{message}{said}", status=reply.status)
