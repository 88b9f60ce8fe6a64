"""The client against endpoints that send too much, too little, or something that was not asked for."""

import asyncio
import gzip
import os
import re
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

import pytest

from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.lists.provider_lists import HttpModelLists
from assay.domain.errors import (
    AssayError,
    BadReplyError,
    ConnectionFailedError,
    EndpointError,
    RejectedError,
    ServerError,
    UnauthorizedError,
)
from assay.engine.ports import ModelClient
from tests.integration.test_openai_chat_wire import (
    CANARY,
    CHUNK,
    LIMITS,
    REQUEST,
    SSE,
    WHOLE,
    RawServer,
    http,
    raw,
)

OPEN = CHUNK.replace(b'"stop"', b"null")
DONE = b"data: [DONE]\n\n"
USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}\n\n'
LINE = b"X-Padding: " + b"a" * 4_000 + b"\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n" % (len(WHOLE), WHOLE)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ((b"HTTP/1.1 200 OK\r\n", *[LINE] * 100), BadReplyError),
        ((b"HTTP/1.1 200 OK\r\nX: ", *[b"a" * 4_000] * 100), BadReplyError),
        ((*[b"HTTP/1.1 100 Continue\r\n\r\n" * 200] * 100,), BadReplyError),
        ((CHUNKED, *[LINE] * 100), BadReplyError),
        (http(b"[" * 90_000), BadReplyError),
        (http(b'data: {"choices": ' + b"[" * 90_000 + b"\n\n", SSE), BadReplyError),
        (http(b"[" * 90_000, status="400 Bad"), RejectedError),
        (http(b'{"choices":[{}]}'), BadReplyError),
        (http(gzip.compress(b"a" * 50_000_000), "Content-Encoding: gzip", status="500 No"), ServerError),
        (http(gzip.compress(WHOLE) + b"more" * 9_000, "Content-Encoding: gzip"), None),
    ],
    ids=["headers", "header", "news", "trailers", "nested", "event", "error", "choice", "bomb", "after-gzip"],
)
async def test_every_reply_ends_as_an_outcome(
    reply: bytes | tuple[bytes, ...], expected: type[AssayError] | None
) -> None:
    async with raw(RawServer(reply)) as client:
        if expected is None:
            assert (await client.complete(REQUEST)).answer == "hi"
            return
        with pytest.raises(expected) as caught:
            await client.complete(REQUEST)
        assert type(caught.value) is expected


async def test_a_compressed_reply_does_not_hold_up_the_rest_of_the_process() -> None:
    """A few kilobytes may become very many events."""
    # The comments keep it from being refused as a bomb.
    pieces = (b"data:{}\n\n" * 6_000 + f": {os.urandom(400).hex()}\n".encode() for _ in range(100))
    events = b"".join(pieces) + CHUNK + DONE
    turn, events_of_turn = 0, Counter[int]()

    async def count_turns() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    def observe(data: bytes, at_s: float) -> None:
        _ = data, at_s
        events_of_turn[turn] += 1

    server = RawServer(http(gzip.compress(events), SSE, "Content-Encoding: gzip"))
    limits = replace(LIMITS, max_reply_bytes=20_000_000)
    async with server.listening() as address:
        directory = HttpModelDirectory({}, options=ClientOptions(limits=limits, observer=observe))
        client = directory.open("vllm/m", base_url=f"http://{address}/v1")
        counting = asyncio.create_task(count_turns())
        try:
            assert (await client.complete(REQUEST)).answer == "hi"
        finally:
            counting.cancel()
            await client.close()
    assert events_of_turn.total() > 600_000
    assert max(events_of_turn.values()) < 100_000


@pytest.mark.parametrize(
    "reply",
    [http(b"[" * 90_000), http(b'{"data": [{"id": []}, {"id": {}}, {}, [], {"id": "m", "pricing": []}]}')],
    ids=["nested", "types"],
)
async def test_a_list_of_models_that_cannot_be_read_ends_nothing(reply: bytes) -> None:
    async with raw(RawServer(reply)) as client:
        await client.check()
        assert await client.price() is None


@pytest.mark.parametrize(
    "reply",
    [
        (http(b"a" * 200_000),),
        (http(gzip.compress(b"[" * 50_000_000), "Content-Encoding: gzip"),),
        (b"HTTP/1.1 200 OK\r\n", *[LINE] * 100),
    ],
    ids=["body", "bomb", "headers"],
)
async def test_a_list_of_models_has_a_limited_size(reply: tuple[bytes, ...]) -> None:
    async with raw(RawServer(reply)) as client:
        with pytest.raises(EndpointError, match="too much for a list of models"):
            await client.check()
        assert await client.price() is None


async def test_what_a_server_says_of_its_models_is_passed_on() -> None:
    body = b'{"error": {"message": "Authentication Error, no key \\u001b[31mgiven"}}'
    async with RawServer(http(body, status="500 No")).listening() as address:
        with pytest.raises(EndpointError, match=r"answered 500 .*no key \\x1b\[31mgiven"):
            await HttpModelDirectory({}).served("vllm", base_url=f"http://{address}/v1")


async def test_a_refused_key_is_noticed_before_anything_is_asked() -> None:
    body = b'{"error": {"message": "No connected db.", "type": "no_db_connection", "code": "400"}}'
    async with raw(RawServer(http(body, status="400 Bad"))) as client:
        with pytest.raises(UnauthorizedError, match=r"refuses the key in VLLM_API_KEY: No connected db\."):
            await client.check()


async def test_a_list_of_models_is_not_read_from_another_host() -> None:
    other = RawServer(http(b'{"data": [{"id": "x"}]}'))
    async with other.listening() as address:
        moved = RawServer(http(b"", f"Location: http://{address}/v1/models", status="302 Found"))
        async with raw(moved) as client:
            await client.check()
    assert (len(moved.requests), other.requests) == (1, [])


async def test_a_redirect_within_the_origin_is_followed() -> None:
    server = RawServer(http(b"", "Location: /elsewhere", status="307 Moved"))
    async with raw(server) as client:
        await client.check()
    assert [request.split(b" ")[1] for request in server.requests] == [b"/v1/models", *[b"/elsewhere"] * 3]


@pytest.mark.parametrize(
    ("events", "fault"),
    [
        (OPEN + DONE, "sent no finish reason"),
        (OPEN + USAGE + DONE, None),
        (OPEN + USAGE, "the stream ended before the reply was finished"),
        (USAGE + OPEN + DONE, "sent no finish reason"),
        (CHUNK, None),
        (CHUNK + DONE, None),
    ],
)
async def test_a_stream_is_an_answer_only_if_its_end_is_known(events: bytes, fault: str | None) -> None:
    async with raw(RawServer(http(events, SSE))) as client:
        if fault is None:
            assert (await client.complete(REQUEST)).answer == "hi"
            return
        with pytest.raises((ConnectionFailedError, BadReplyError), match=fault):
            await client.complete(REQUEST)


@dataclass
class Scripted:
    """Answers the requests of each connection with these replies, and closes it at the next request."""

    replies: tuple[bytes, ...]
    whole: bytes | None = None
    requests: list[bytes] = field(default_factory=list[bytes])
    connections: int = 0

    @asynccontextmanager
    async def client(self, *, keep_alive_s: float = 4.0) -> AsyncGenerator[ModelClient]:
        handlers: list[asyncio.Task[None]] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.connections += 1
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                await self._serve(reader, writer)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            self.connections -= 1

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            handlers.append(asyncio.create_task(serve(reader, writer)))

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        options = ClientOptions(limits=replace(LIMITS, keep_alive_s=keep_alive_s))
        client = HttpModelDirectory({"VLLM_API_KEY": CANARY}, options=options).open(
            "vllm/m", base_url=f"http://127.0.0.1:{port}/v1"
        )
        try:
            yield client
        finally:
            await client.close()
            server.close()
            await asyncio.gather(*handlers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in (*self.replies, b""):
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", head)
            body = await reader.readexactly(int(length[1]) if length else 0)
            self.requests.append(body)
            writer.write(self.whole if self.whole is not None and b'"stream":false' in body else reply)


def kept(body: bytes, status: str = "200 OK") -> bytes:
    return http(body, status=status).replace(b"Connection: close\r\n", b"")


async def test_a_kept_connection_that_turns_out_closed_is_replaced() -> None:
    server = Scripted((kept(WHOLE),))
    async with server.client() as client:
        for _ in range(3):
            assert (await client.complete(REQUEST)).answer == "hi"
    # The second and the third request were each written to a closed connection first.
    assert len(server.requests) == 5


async def test_a_new_connection_that_is_closed_without_a_reply_is_a_failure() -> None:
    server = Scripted(())
    async with server.client() as client:
        with pytest.raises(ConnectionFailedError):
            await client.complete(REQUEST)
    assert len(server.requests) == 1


async def test_idle_connections_are_closed() -> None:
    server = Scripted((kept(WHOLE),) * 2)
    async with server.client(keep_alive_s=0.05) as client:
        await asyncio.gather(*(client.complete(REQUEST) for _ in range(5)))
        async with asyncio.timeout(60):
            while server.connections:
                await asyncio.sleep(0.01)


async def test_an_empty_stream_is_asked_once_without_streaming() -> None:
    said = b'{"error": {"message": "the prompt has 9000 tokens, the context 512", "code": 400}}'
    server = Scripted((kept(b"data: [DONE]\n\n"),) * 3, whole=kept(said, status="400 Bad Request"))
    async with server.client() as client:
        with pytest.raises(RejectedError, match="the prompt has 9000 tokens"):
            await client.complete(REQUEST)
    assert b'"stream":false' in server.requests[1]


async def test_a_stream_that_was_dropped_for_another_call_is_asked_without_streaming() -> None:
    server = Scripted((kept(OPEN + DONE),) * 3, whole=kept(WHOLE))
    async with server.client() as client:
        for _ in range(2):
            assert (await client.complete(REQUEST)).finish_reason == "stop"
    assert [b'"stream":false' in one for one in server.requests] == [False, True, False, True]


async def test_an_endpoint_that_never_sends_a_finish_reason_is_asked_without_streaming_once() -> None:
    server = Scripted((kept(OPEN + DONE),) * 3, whole=kept(WHOLE.replace(b'"stop"', b"null")))
    async with server.client() as client:
        for _ in range(2):
            assert (await client.complete(REQUEST)).answer == "hi"
    assert [b'"stream":false' in one for one in server.requests] == [False, True, False]


async def test_a_key_in_an_answer_is_not_kept() -> None:
    answer = WHOLE.replace(b"hi", f"Your key is {CANARY}.".encode())
    names = f'"model": "{"m" * 190}{CANARY}", "system_fingerprint": "{CANARY}", "choices"'
    answer = answer.replace(b'"choices"', names.encode()).replace(b"stop", CANARY.encode())
    async with raw(RawServer(http(answer))) as client:
        reply = await client.complete(REQUEST)
    assert reply.answer == "Your key is [key]."
    assert (reply.served_model, reply.system_fingerprint, reply.finish_reason) == (
        "m" * 190 + "[key]",
        "[key]",
        "[key]",
    )


async def test_a_key_in_a_list_of_models_is_not_shown() -> None:
    listed = http(f'{{"data": [{{"id": "{CANARY}"}}]}}'.encode())
    async with RawServer(listed).listening() as address:
        directory = HttpModelDirectory({"VLLM_API_KEY": CANARY})
        models = await directory.served("vllm", base_url=f"http://{address}/v1")
        lists = HttpModelLists({"VLLM_API_KEY": CANARY, "VLLM_BASE_URL": f"http://{address}/v1"})
        registered = await lists.listed("vllm")
    assert [one.name for one in models] == ["[key]"]
    assert [one.slug for one in registered] == ["[key]"]
