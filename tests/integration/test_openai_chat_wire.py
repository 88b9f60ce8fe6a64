"""The client against raw bytes: what no well-behaved server sends."""

import asyncio
import gzip
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import orjson
import pytest
import uvloop

from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.session import ClientLimits
from assay.domain.calls.messages import Generation, Prompt
from assay.domain.errors import (
    AssayError,
    BadReplyError,
    ConnectionFailedError,
    InvalidValueError,
    RateLimitedError,
    RejectedError,
    ServerError,
    UnauthorizedError,
)
from assay.engine.ports import ModelClient, Request

CANARY = "sk-canary-0123456789"
REQUEST = Request(Prompt.of_user("hello"), Generation())
LIMITS = ClientLimits(silence_s=20.0, total_s=30.0, max_reply_bytes=100_000)


@dataclass
class RawServer:
    """Sends the same bytes for every request, whatever they are; a tuple of them piece by piece."""

    reply: bytes | tuple[bytes, ...]
    closes: bool = True
    requests: list[bytes] = field(default_factory=list[bytes])
    connections: int = 0

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[str]:
        """Serve for as long as the block lasts; gives the address."""
        handlers: list[asyncio.Task[None]] = []

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            handlers.append(asyncio.create_task(self._serve(reader, writer)))

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        try:
            port = server.sockets[0].getsockname()[1]
            yield f"127.0.0.1:{port}"
        finally:
            server.close()
            await asyncio.gather(*handlers)
        self.connections = len(handlers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while await self._answered(reader, writer):
                pass
        with suppress(ConnectionError):
            writer.close()
            await writer.wait_closed()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        self.requests.append(head + await reader.readexactly(int(length[1]) if length else 0))
        for piece in self.reply if isinstance(self.reply, tuple) else (self.reply,):
            writer.write(piece)
            # Turns of the loop in which the client can read the piece alone.
            for _ in range(5):
                await asyncio.sleep(0)
        return not self.closes


@asynccontextmanager
async def raw(server: RawServer, *, path: str = "/v1") -> AsyncGenerator[ModelClient]:
    async with server.listening() as address:
        directory = HttpModelDirectory({"VLLM_API_KEY": CANARY}, options=ClientOptions(limits=LIMITS))
        client = directory.open("vllm/m", base_url=f"http://{address}{path}")
        try:
            yield client
        finally:
            await client.close()


def http(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {size}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


SSE = "Content-Type: text/event-stream"
WHOLE = b'{"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}'
CHUNK = b'data: {"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]}\n\n'


@pytest.mark.parametrize(
    "reply",
    [
        http(WHOLE),
        http(WHOLE, "Content-Type: text/plain"),
        http(b"\n \n" + WHOLE, SSE),
        (http(b" ", length=1 + len(WHOLE)), WHOLE),
        (http(b"", SSE, length=2 + len(CHUNK)), b"\n\n", CHUNK),
        http(CHUNK, SSE),
        http(CHUNK, "Content-Type: text/plain"),
        http(CHUNK, SSE, length=10_000),
        http(CHUNK + b"data: [DONE]\n\n: bye\n\n", SSE, length=10_000),
        http(CHUNK.rstrip(), SSE),
        http(b"\xef\xbb\xbf" + CHUNK, SSE),
        http(CHUNK + b'data: {"choices": [], "us', SSE),
        http(CHUNK + b'data: {"choices": [], "us', SSE, length=10_000),
        b"HTTP/1.1 200 OK\r\n\r\n" + CHUNK,
    ],
)
async def test_odd_but_whole_replies(reply: bytes | tuple[bytes, ...]) -> None:
    async with raw(RawServer(reply)) as client:
        assert (await client.complete(REQUEST)).answer == "hi"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (b"", ConnectionFailedError),
        (b"SSH-2.0-OpenSSH_9.7\r\n", BadReplyError),
        (http(b"", SSE), BadReplyError),
        (http(b": ping\n\n", SSE), BadReplyError),
        (http(CHUNK.replace(b'"stop"', b"null") + b"data: [DONE]\n\n", SSE), BadReplyError),
        (http(b"data: {}\n\ndata: [DONE]\n\n", SSE), BadReplyError),
        (http(CHUNK.replace(b'"stop"', b"null"), SSE, length=10_000), ConnectionFailedError),
        (http(CHUNK.replace(b'"stop"', b"null") + CHUNK[:30], SSE), ConnectionFailedError),
        (http(b"<html>hello</html>", "Content-Type: text/html"), BadReplyError),
        (http(WHOLE[:-5]), BadReplyError),
        (http(WHOLE, length=10_000), ConnectionFailedError),
        (http(b"[]"), BadReplyError),
        (http(b'{"choices": []}'), BadReplyError),
        (http(b'{"error": {"code": 429, "message": "busy"}}'), RateLimitedError),
        (http(b'{"error": {"code": 429', status="503 Unavailable", length=10_000), ServerError),
        (http(b"", "Location: /elsewhere", status="307 Moved"), RejectedError),
        (http(f"bad key {CANARY}".encode(), status="400 Bad"), RejectedError),
        (http(f"bad key {CANARY}".encode(), status="401 No"), UnauthorizedError),
        (http(f'{{"error": {{"message": "{CANARY}"}}}}'.encode()), BadReplyError),
    ],
)
async def test_what_is_not_the_protocol(reply: bytes, expected: type[AssayError]) -> None:
    async with raw(RawServer(reply)) as client:
        with pytest.raises(expected) as caught:
            await client.complete(REQUEST)
        assert type(caught.value) is expected
        error: BaseException | None = caught.value
        while error:
            assert "canary" not in f"{error!r} {error}"
            error = error.__cause__
        assert "canary" not in repr(client)


async def test_connection_is_used_again_after_a_stream() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + SSE.encode() + b"\r\n\r\n"
    body = CHUNK + b"data: [DONE]\n\n"
    chunked += b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    server = RawServer(chunked, closes=False)
    async with raw(server) as client:
        for _ in range(3):
            assert (await client.complete(REQUEST)).answer == "hi"
    assert (len(server.requests), server.connections) == (3, 1)


async def test_a_compressed_reply_is_read_and_its_size_is_bounded() -> None:
    header = "Content-Encoding: gzip"
    async with raw(RawServer(http(gzip.compress(WHOLE), header))) as client:
        assert (await client.complete(REQUEST)).answer == "hi"
    bomb = gzip.compress(b" " * 50_000_000)
    async with raw(RawServer(http(bomb, header))) as client:
        with pytest.raises(BadReplyError, match="more than 100000 bytes"):
            await client.complete(REQUEST)
    for body, encoding in ((b"\x00not gzip", header), (WHOLE, "Content-Encoding: br")):
        async with raw(RawServer(http(body, encoding))) as client:
            with pytest.raises(BadReplyError, match="not HTTP"):
                await client.complete(REQUEST)


async def test_news_before_the_reply_is_passed_over() -> None:
    async with raw(RawServer(b"HTTP/1.1 103 Early Hints\r\n\r\n" + http(WHOLE))) as client:
        assert (await client.complete(REQUEST)).answer == "hi"


async def test_a_cancelled_call_gives_up_its_connection() -> None:
    server = RawServer(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", closes=False)
    async with raw(server) as client:
        call = asyncio.create_task(client.complete(REQUEST))
        while not server.requests:
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


def test_the_loop_that_is_quicker_than_asyncios_serves_as_well() -> None:
    async def ask_twice() -> tuple[str, int]:
        server = RawServer(http(WHOLE).replace(b"Connection: close\r\n", b""), closes=False)
        async with raw(server) as client:
            answers = [(await client.complete(REQUEST)).answer for _ in range(2)]
        return "".join(answers), server.connections

    assert uvloop.run(ask_twice()) == ("hihi", 1)


async def test_a_key_that_no_header_can_carry_is_refused_without_showing_it() -> None:
    with pytest.raises(InvalidValueError) as caught:
        HttpModelDirectory({"VLLM_API_KEY": "canary\r\nX-Evil: 1"}).open(
            "vllm/m", base_url="http://127.0.0.1:1"
        )
    assert "canary" not in str(caught.value)


async def test_request_as_it_is_written() -> None:
    server = RawServer(http(WHOLE))
    async with raw(server, path="/deployments/d?api-version=2") as client:
        await client.complete(REQUEST)
        assert "api-version" not in client.endpoint
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /deployments/d/chat/completions?api-version=2 HTTP/1.1")
    assert f"Authorization: Bearer {CANARY}".encode() in head
    assert b"Content-Type: application/json" in head
    assert b"Accept-Encoding: identity" in head
    assert orjson.loads(body)["model"] == "m"


async def test_credentials_in_the_url_are_used_and_never_shown() -> None:
    server = RawServer(http(WHOLE))
    async with server.listening() as address:
        client = HttpModelDirectory({}).open("vllm/m", base_url=f"http://me:canary@{address}/v1")
        await client.complete(REQUEST)
        await client.close()
    assert b"Authorization: Basic " in server.requests[0]
    assert "canary" not in f"{client!r} {client.endpoint}"
