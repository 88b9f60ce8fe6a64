"""A streamed reply of the test endpoint, with the faults its script asks for."""

import asyncio
import contextlib
import time

from aiohttp import web

from assay.adapters.simserver import wire
from assay.adapters.simserver.script import Script
from assay.domain.calls.messages import Json

_HEADERS = {"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}
_MALFORMED = b'{"choices": [{"delta": {"content": "tor'
_ERROR_STATUS = 502


class StreamReply:
    def __init__(self, script: Script, ask: wire.Ask) -> None:
        self._script = script
        self._ask = ask
        self._newline = b"\r\n" if script.crlf else b"\n"
        self._field = b"data: " if script.spaced else b"data:"

    async def send(self, request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers=_HEADERS)
        # Clients that are killed or give up are what the endpoint is there to test.
        with contextlib.suppress(ConnectionResetError):
            await self._send(request, response)
        return response

    async def _send(self, request: web.BaseRequest, response: web.StreamResponse) -> None:
        script = self._script
        await response.prepare(request)
        answer = wire.answer_text(script, self._ask.prompt)
        usage = wire.usage_json(script, self._ask.prompt, answer)
        chunks = self._chunks(answer, usage)
        for number, chunk in enumerate(chunks, start=1):
            await self._wait(response, number)
            if script.cut_after and number > script.cut_after:
                _cut(request)
                return
            await self._write(response, self._event(self._faulty(number, chunk)))
        if script.usage == "last" and self._ask.wants_usage:
            await self._write(response, self._event(wire.usage_chunk(self._ask.model, usage)))
        if script.done:
            await self._write(response, self._event(b"[DONE]"))
        await response.write_eof()

    def _chunks(self, answer: str, usage: dict[str, Json]) -> tuple[bytes, ...]:
        chunks = wire.content_chunks(self._script, self._ask.model, answer)
        if self._script.usage == "every":
            return tuple(wire.with_usage(chunk, usage) for chunk in chunks)
        if self._script.usage == "first":
            return (wire.with_usage(chunks[0], usage), *chunks[1:])
        return chunks

    def _faulty(self, number: int, chunk: bytes) -> bytes:
        script = self._script
        if script.malformed_after and number > script.malformed_after:
            return _MALFORMED
        if script.error_after and number > script.error_after:
            return wire.error_body(_ERROR_STATUS, code=script.code, message="asked to fail")
        return wire.with_stamp(chunk, time.monotonic_ns()) if script.stamp else chunk

    def _event(self, data: bytes) -> bytes:
        return self._field + data + self._newline + self._newline

    async def _wait(self, response: web.StreamResponse, number: int) -> None:
        # The first chunk carries the role alone; the second is the first with content.
        script = self._script
        for _ in range(script.keepalives):
            await self._write(response, b": ping" + self._newline + self._newline)
            await asyncio.sleep(script.keepalive_ms / 1000)
        delay_ms = script.ttft_ms if number == 2 else script.gap_ms if number > 2 else 0.0  # noqa: PLR2004
        if script.stall_after and number == script.stall_after + 1:
            delay_ms += script.stall_ms
        if delay_ms:
            await asyncio.sleep(delay_ms / 1000)

    async def _write(self, response: web.StreamResponse, data: bytes) -> None:
        size = self._script.split_bytes
        if not size:
            await response.write(data)
            return
        for start in range(0, len(data), size):
            await response.write(data[start : start + size])
            # Yielding to the event loop sends each piece as a separate segment.
            await asyncio.sleep(0)


def _cut(request: web.BaseRequest) -> None:
    if request.transport is not None:
        request.transport.abort()
