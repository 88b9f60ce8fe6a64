"""One HTTP/1.1 connection, parsed in the callback that receives the bytes.

A general client wakes a task for every piece of a reply and builds a dozen objects for each request: more
work than the rest of an attempt, and times are taken only after the event loop has scheduled the task. Here
the callback stamps and parses each piece; the task that waits for the reply is woken once.
"""

import asyncio
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol, cast
from weakref import WeakSet

import httptools

_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_INFLATED_BYTES = 1 << 20
_INFORMATIONAL = 200
# Compressed JSON is at most about a hundred times smaller.
_MAX_RATIO = 200
# What is read at once, and what of it is parsed at once where it may be compressed, and so become two hundred
# times as much.
_BLOCK_BYTES = 32 * 1024
_PACKED_BYTES = 1024
# After a block of this size, and whenever parsing took this long, a connection rests for so many times as
# long as parsing took, and longer where others rest: a quarter of the time is for all of them together.
_LARGE_BLOCK_BYTES = _BLOCK_BYTES // 2
_BUSY_S = 0.005
_REST_FOR_WORK = 3
# For the status line and the headers, with whatever precedes them.
_MAX_HEAD_BYTES = 64 * 1024


class WireError(Exception):
    """The exchange failed on the connection."""


class CutError(WireError):
    """The connection ended before the reply did."""


class NotHttpError(WireError):
    """What arrived is not an HTTP response."""


class TooLargeError(WireError):
    """The reply has more bytes than allowed."""


class SilenceTimeoutError(WireError):
    """No byte arrived for too long."""


class TotalTimeoutError(WireError):
    """The reply was not finished in time."""


@dataclass(frozen=True, slots=True)
class ExchangeLimits:
    """How long to wait for the whole reply, and for its next byte; how many bytes may arrive.

    `max_bytes` is for what arrives after the headers. A receiver limits what that is once decompressed.
    """

    total_s: float
    max_bytes: int
    silence_s: float | None = None


class Receiver(Protocol):
    """Receives a reply as it arrives; an exception that it raises ends the exchange."""

    def written(self, at_s: float) -> None:
        """Called when the request is written."""
        ...

    def begin(self, status: int, headers: Mapping[bytes, bytes]) -> None:
        """Called with the status and the headers, whose names are in lower case."""
        ...

    def take(self, block: bytes, at_s: float) -> None: ...

    @property
    def is_content(self) -> bool:
        """Whether the receiver needs nothing more of the reply."""
        ...


class _Inflater(Protocol):
    @property
    def unconsumed_tail(self) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class Connection(asyncio.BufferedProtocol):
    """Serves one exchange at a time; `is_free` once the last reply has been read completely."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._block = memoryview(bytearray(_BLOCK_BYTES))
        self._headers: dict[bytes, bytes] = {}
        self._status = 0
        self._inflater: _Inflater | None = None
        self._receiver: Receiver | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._at_s = 0.0
        self._deadline_s = 0.0
        self._silence_s: float | None = None
        self._max_bytes = 0
        self._head_bytes = 0
        self._body_bytes = 0
        self._inflated_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due_s = 0.0
        self.is_free = True
        self.free_since_s = 0.0

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def is_silent(self) -> bool:
        """Whether no byte of the reply has arrived."""
        return not self._head_bytes

    async def exchange(self, request: bytes, receiver: Receiver, limits: ExchangeLimits) -> None:
        """Return when the receiver has all that it needs."""
        transport = self._transport
        if transport is None:
            raise CutError
        self.is_free = False
        self._receiver = receiver
        self._waiter = waiter = self._loop.create_future()
        self._status = 0
        self._max_bytes = limits.max_bytes
        self._head_bytes = self._body_bytes = self._inflated_bytes = 0
        self._at_s = perf_counter()
        self._deadline_s = self._at_s + limits.total_s
        self._silence_s = limits.silence_s
        receiver.written(self._at_s)
        transport.write(request)
        self._set_timer()
        try:
            await waiter
        except BaseException:
            self.close()
            raise
        finally:
            self._waiter = self._receiver = None

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _set_timer(self) -> None:
        """Set the timer for the moment when the reply would be overdue.

        The timer outlives the exchange: one per exchange would cost more than an occasional needless check.
        """
        due_s = self._deadline_s
        if self._silence_s is not None:
            due_s = min(due_s, self._at_s + self._silence_s)
        if self._timer is not None:
            if self._timer_due_s <= due_s:
                return
            self._timer.cancel()
        self._timer_due_s = due_s
        self._timer = self._loop.call_later(max(0.0, due_s - perf_counter()), self._check_overdue)

    def _check_overdue(self) -> None:
        self._timer = None
        if self._waiter is None:
            return
        now_s = perf_counter()
        if now_s >= self._deadline_s:
            self._abort(TotalTimeoutError())
        elif self._silence_s is not None and now_s >= self._at_s + self._silence_s:
            self._abort(SilenceTimeoutError())
        else:
            self._set_timer()

    def _abort(self, error: WireError) -> None:
        self._end(error)
        self.close()

    def _end(self, error: Exception | None) -> None:
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        if error is None:
            waiter.set_result(None)
        else:
            waiter.set_exception(error)

    # Called by asyncio.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transport is not a subclass of asyncio.Transport, but has its methods.
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        del sizehint
        return self._block

    def buffer_updated(self, nbytes: int) -> None:
        self._at_s = perf_counter()
        if self._status:
            self._body_bytes += nbytes
        else:
            self._head_bytes += nbytes
        self._parse(self._block[:nbytes])

    def _parse(self, data: memoryview) -> None:
        began_s = perf_counter()
        is_large = len(data) >= _LARGE_BLOCK_BYTES
        while data and self.is_open:
            is_plain = self._status and self._inflater is None
            size = len(data) if is_plain else _PACKED_BYTES
            self._parse_piece(data[:size])
            data = data[size:]
            if self.is_free and data:
                # Nobody asked for more than the reply.
                self.close()
                return
            work_s = perf_counter() - began_s
            if work_s > _BUSY_S or (is_large and not data):
                self._rest(work_s, data)
                return

    def _parse_piece(self, data: memoryview) -> None:
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            cause = error.__context__
            self._end(cause if isinstance(cause, Exception) else NotHttpError())
            self.close()
        # The parser collects headers and trailers of any size.
        is_head_too_large = not self._status and self._head_bytes > _MAX_HEAD_BYTES
        if is_head_too_large or self._body_bytes > self._max_bytes:
            self._abort(TooLargeError())

    def _rest(self, work_s: float, rest: memoryview) -> None:
        """Let the rest of the process run: uvloop would go on reading for as long as bytes arrive."""
        if self._transport is not None and self.is_open:
            _RESTING.add(self)
            self._transport.pause_reading()
            self._loop.call_later(_REST_FOR_WORK * work_s * len(_RESTING), self._go_on, rest)

    def _go_on(self, rest: memoryview) -> None:
        _RESTING.discard(self)
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()
            self._parse(rest)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._transport = None
        if self._timer is not None:
            self._timer.cancel()
        has_no_end = not {b"content-length", b"transfer-encoding"} & self._headers.keys()
        self._end(None if self._status and has_no_end else CutError())

    # Called by the parser.

    def on_message_begin(self) -> None:
        self._headers = {}
        self._inflater = None

    def on_header(self, name: bytes, value: bytes) -> None:
        # What comes after the headers are trailers.
        if not self._status:
            self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < _INFORMATIONAL or self._receiver is None:
            return
        self._status = status
        encoding = self._headers.get(b"content-encoding", b"identity").lower()
        if encoding in (b"gzip", b"x-gzip", b"deflate"):
            self._inflater = zlib.decompressobj(_GZIP_OR_ZLIB)
        elif encoding != b"identity":
            raise NotHttpError
        self._receiver.begin(status, self._headers)

    def on_body(self, body: bytes) -> None:
        receiver = self._receiver
        if receiver is None or receiver.is_content:
            return
        if self._inflater is None:
            receiver.take(body, self._at_s)
        else:
            self._inflate(body, receiver, self._inflater)
        if receiver.is_content:
            self._end(None)

    def _inflate(self, body: bytes, receiver: Receiver, inflater: _Inflater) -> None:
        """Inflate in pieces, so that the receiver's size limit applies before memory runs out."""
        # What follows the end of the compressed data is ignored: zlib would collect it.
        while body and not inflater.eof and not receiver.is_content:
            try:
                piece = inflater.decompress(body, _INFLATED_BYTES)
            except zlib.error as error:
                raise NotHttpError from error
            body = inflater.unconsumed_tail
            self._inflated_bytes += len(piece)
            if self._inflated_bytes > _INFLATED_BYTES + _MAX_RATIO * (self._head_bytes + self._body_bytes):
                raise TooLargeError
            if piece:
                receiver.take(piece, self._at_s)

    def on_message_complete(self) -> None:
        if not self._status:
            return
        self.is_free = self._parser.should_keep_alive()
        self.free_since_s = self._at_s
        self._end(None)
        if not self.is_free:
            self.close()


_RESTING: WeakSet[Connection] = WeakSet()
