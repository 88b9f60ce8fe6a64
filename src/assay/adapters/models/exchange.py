"""Reads one reply as it arrives, with the time at which each piece arrived."""

import codecs
from collections.abc import Callable, Mapping
from http import HTTPStatus

from assay.adapters.models.formats.reply_collector import DONE, ReplyCollector
from assay.adapters.models.http_errors import Target, bad_reply, connection_failed
from assay.adapters.models.json_text import parsed
from assay.adapters.models.sse import EventSplitter
from assay.adapters.models.wire.connection import CutError
from assay.domain.calls.messages import Completion

EventObserver = Callable[[bytes, float], None]
"""Called with the data of every event of a stream, and its arrival time by `time.perf_counter`."""

_WHOLE_REPLY = (b"{", b"[", b"<")
_MAX_ERROR_BYTES = 64 * 1024
# For a whole reply and for one event: what is kept until it can be parsed.
_MAX_KEPT_BYTES = 8 * 1024 * 1024


class UnfinishedReplyError(Exception):
    """The reply ended in order, but nothing says that it is whole."""


class ReplyReader:
    """Decides by its first bytes whether a reply is a stream: servers mislabel both kinds."""

    __slots__ = (
        "_at_s",
        "_body",
        "_collector",
        "_max_bytes",
        "_observer",
        "_silence_s",
        "_size",
        "_splitter",
        "_started_s",
        "_target",
        "headers",
        "is_content",
        "status",
    )

    def __init__(
        self,
        target: Target,
        collector: ReplyCollector,
        *,
        max_bytes: int,
        observer: EventObserver | None = None,
    ) -> None:
        self._target = target
        self._max_bytes = max_bytes
        self._observer = observer
        self._collector = collector
        self._splitter: EventSplitter | None = None
        self._body = bytearray()
        self._size = 0
        self._started_s = self._at_s = 0.0
        self._silence_s = 0.0
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.is_content = False

    def written(self, at_s: float) -> None:
        self._started_s = self._at_s = at_s

    def begin(self, status: int, headers: Mapping[bytes, bytes]) -> None:
        self.status = status
        if status != HTTPStatus.OK:
            self.headers = {
                name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items()
            }

    def take(self, block: bytes, at_s: float) -> None:
        self._silence_s = max(self._silence_s, at_s - self._at_s)
        self._at_s = at_s
        self._size += len(block)
        if self.status != HTTPStatus.OK:
            self._body += block
            self.is_content = len(self._body) >= _MAX_ERROR_BYTES
        elif self._size > self._max_bytes:
            raise bad_reply(self._target, f"sent more than {self._max_bytes} bytes")
        elif self._splitter is not None:
            self._take_events(self._splitter.feed(block))
        elif self._body or self._is_whole(block):
            self._body += block
        if self._kept_bytes() > _MAX_KEPT_BYTES:
            raise bad_reply(self._target, f"sent more than {_MAX_KEPT_BYTES} bytes in one piece")

    def _kept_bytes(self) -> int:
        return len(self._body) + (self._splitter.held_bytes if self._splitter else 0)

    def _is_whole(self, block: bytes) -> bool:
        """Whether the first block that is not white space begins a whole reply; a stream is read at once."""
        if not self._body:
            block = block.removeprefix(codecs.BOM_UTF8)
        start = block[:64].lstrip()
        if block.isspace():
            # Some servers send white space to keep the connection alive until the whole reply is ready.
            return False
        if start.startswith(_WHOLE_REPLY):
            return True
        self._splitter = EventSplitter()
        self._take_events(self._splitter.feed(block))
        return False

    def _take_events(self, events: list[bytes]) -> None:
        collector, observer, at_s = self._collector, self._observer, self._at_s
        for data in events:
            if observer is not None:
                observer(data, at_s)
            collector.take(data, at_s)
        self.is_content = collector.is_done

    def error_body(self) -> bytes:
        """The part of the body that is read for its error message."""
        return bytes(self._body[:_MAX_ERROR_BYTES])

    def completion(self, *, is_cut: bool = False, may_omit_finish_reason: bool = False) -> Completion:
        """The reply; raises CutError if the connection was cut before its end, or UnfinishedReplyError."""
        if self._splitter is None:
            return self._whole(is_cut=is_cut)
        collector = self._collector
        # An event that was cut off is not a chunk.
        rest = self._splitter.finish()
        self._take_events([data for data in rest if data == DONE or parsed(data) is not None])
        # A connection cut after the last chunk loses nothing of the reply.
        if collector.is_whole or (may_omit_finish_reason and collector.is_done and not collector.is_empty):
            return collector.completion(
                started_s=self._started_s,
                ended_s=self._at_s,
                silence_s=self._silence_s,
                keep_alives=self._splitter.comments + collector.pings,
            )
        if collector.is_done or (collector.is_empty and not is_cut):
            raise UnfinishedReplyError(
                "sent an empty reply" if collector.is_empty else "sent no finish reason"
            )
        raise connection_failed(self._target, "the stream ended before the reply was finished")

    def _whole(self, *, is_cut: bool) -> Completion:
        if is_cut:
            raise CutError
        if not self._body:
            raise UnfinishedReplyError("sent an empty reply")
        collector = self._collector
        collector.take(bytes(self._body), self._at_s)
        if collector.is_empty and collector.has_choice and collector.finish_reason is None:
            raise UnfinishedReplyError("sent an empty reply")
        return collector.completion(started_s=self._started_s, ended_s=self._at_s)
