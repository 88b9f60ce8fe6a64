"""Reads one reply off the wire, with the moment each piece arrived."""

import asyncio
import codecs
from collections.abc import Callable
from time import perf_counter

import aiohttp

from assay.adapters.models.http_errors import Target, bad_reply, connection_failed
from assay.adapters.models.json_text import parsed
from assay.adapters.models.replies import DONE, ReplyCollector
from assay.adapters.models.sse import EventSplitter
from assay.adapters.models.transport_errors import FAILURES
from assay.domain.messages import Completion

Watch = Callable[[bytes, float], None]
"""Sees the data of every event of a stream, with the time on `time.perf_counter` at which it was read."""

_WHOLE_REPLY = (b"{", b"[", b"<")
_DRAIN_S = 0.25


class ReplyReader:
    """Whether a reply is a stream is decided by how it begins: servers mislabel either kind."""

    __slots__ = ("_at_s", "_collector", "_content", "_max_bytes", "_silence_s", "_size", "_target", "_watch")

    def __init__(
        self, content: aiohttp.StreamReader, target: Target, *, max_bytes: int, watch: Watch | None = None
    ) -> None:
        self._content = content
        self._target = target
        self._max_bytes = max_bytes
        self._watch = watch
        self._collector = ReplyCollector(target)
        self._size = 0
        self._at_s = 0.0
        self._silence_s = 0.0

    async def read(self, *, started_s: float) -> Completion:
        self._at_s = started_s
        block = (await self._next()).removeprefix(codecs.BOM_UTF8)
        # Some servers send white space to keep the connection of a reply in one piece alive.
        while block.isspace():
            block = await self._next()
        if block[:64].lstrip().startswith(_WHOLE_REPLY):
            return await self._whole(block, started_s)
        return await self._streamed(block, started_s)

    async def _next(self) -> bytes:
        """The bytes that have come in since the last call, stamped before anything else is done with them."""
        block = await self._content.readany()
        if block:
            at_s = perf_counter()
            self._silence_s = max(self._silence_s, at_s - self._at_s)
            self._at_s = at_s
            self._size += len(block)
            if self._size > self._max_bytes:
                raise bad_reply(self._target, f"sent more than {self._max_bytes} bytes")
        return block

    async def _whole(self, block: bytes, started_s: float) -> Completion:
        blocks = [block]
        while block := await self._next():
            blocks.append(block)
        self._collector.take(b"".join(blocks), self._at_s)
        return self._collector.completion(started_s=started_s, ended_s=self._at_s)

    async def _streamed(self, block: bytes, started_s: float) -> Completion:
        collector, splitter = self._collector, EventSplitter()
        try:
            while block:
                self._take(splitter.feed(block))
                if collector.is_done:
                    await self._drain()
                    break
                block = await self._next()
        except FAILURES:
            # A connection that is cut after the last chunk has taken nothing from the reply.
            if not collector.is_whole:
                raise
        # What a cut left of an event is no chunk.
        self._take([data for data in splitter.finish() if data == DONE or parsed(data) is not None])
        if not collector.is_whole:
            raise connection_failed(self._target, "the stream ended before the reply was finished")
        return collector.completion(started_s=started_s, ended_s=self._at_s, silence_s=self._silence_s)

    def _take(self, events: list[bytes]) -> None:
        take, watch, at_s = self._collector.take, self._watch, self._at_s
        for data in events:
            if watch is not None:
                watch(data, at_s)
            take(data, at_s)

    async def _drain(self) -> None:
        """Read up to the end, without which the connection could not be used again."""
        if self._content.at_eof():
            return
        try:
            async with asyncio.timeout(_DRAIN_S):
                while await self._content.readany():
                    pass
        except FAILURES:
            return


async def beginning(content: aiohttp.StreamReader, max_bytes: int) -> bytes:
    """As much of a body as is worth reading for its error message; a cut one is as good as a short one."""
    blocks: list[bytes] = []
    try:
        while sum(map(len, blocks)) < max_bytes and (block := await content.readany()):
            blocks.append(block)
    except FAILURES:
        pass
    return b"".join(blocks)[:max_bytes]
