"""A server that speaks a vendor's API as it is documented; the APIs are in the modules beside it.

It refuses what the vendor refuses: a missing header or field, turns out of order, results of tools without
their calls, and reasoning that does not come back with its signature. `scripts/vendor-clients` asks with the
vendors' own clients.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

KEY = "vendor-canary-0123456789"
MODEL = "a-model"
SIGNATURE = "c2lnbmVk"


@dataclass(frozen=True)
class Turn:
    """What the model says; `calls` are names with arguments, `logprobs` one for each piece of the answer."""

    answer: tuple[str, ...] = ("The answer ", "is (A).")
    thoughts: tuple[str, ...] = ()
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    stop: str | None = None
    logprobs: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Reply:
    """Sent as it is; pieces come one by one, `pause_s` apart."""

    status: int = 200
    headers: tuple[str, ...] = ()
    body: bytes | tuple[bytes, ...] = b""
    pause_s: float = 0.0


Answer = Turn | Reply


class RefusedError(Exception):
    """The request is not of the documented form."""


@dataclass
class VendorServer:
    """Gives the scripted answers in their order, then the last one again."""

    vendor: "Vendor"
    script: list[Answer] = field(default_factory=lambda: [Turn()])
    seen: list[Seen] = field(default_factory=list[Seen])
    # In place of the list of models.
    list_reply: Reply | None = None

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[str]:
        handlers: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            handlers.add(asyncio.create_task(self._serve(reader, writer)))

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            for handler in handlers:
                handler.cancel()
            await asyncio.gather(*handlers, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError), closing(writer):
            seen = await _read(reader)
            self.seen.append(seen)
            reply = self._reply(seen)
            pieces = reply.body if isinstance(reply.body, tuple) else (reply.body,)
            lines = [f"HTTP/1.1 {reply.status} Status", "Connection: close", *reply.headers]
            writer.write("\r\n".join([*lines, "", ""]).encode())
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(reply.pause_s)

    def _reply(self, seen: Seen) -> Reply:
        try:
            if seen.method == "GET":
                return self.list_reply or whole(self.vendor.models(seen))
            is_stream = self.vendor.check(seen)
        except RefusedError as error:
            return self.vendor.error(400, str(error))
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(answer, Reply):
            return answer
        if is_stream:
            return Reply(headers=("Content-Type: text/event-stream",), body=tuple(self.vendor.events(answer)))
        return whole(self.vendor.message(answer))


class Vendor:
    """The documented form of one API."""

    key_header = ""
    prefix = ""
    key_variable = ""
    url_variable = ""
    model = MODEL
    # Of the address, as the vendor's own client and as Assay take it.
    path = ""

    def check(self, seen: Seen) -> bool:
        """Whether a stream is wanted; raises RefusedError."""
        raise NotImplementedError

    def events(self, turn: Turn) -> Iterator[bytes]:
        raise NotImplementedError

    def message(self, turn: Turn) -> dict[str, Any]:
        raise NotImplementedError

    def models(self, seen: Seen) -> dict[str, Any]:
        raise NotImplementedError

    def error(self, status: int, message: str, *headers: str, code: str = "") -> Reply:
        raise NotImplementedError

    def require_key(self, seen: Seen) -> None:
        if KEY not in seen.headers.get(self.key_header, seen.headers.get("authorization", "")):
            raise RefusedError(f"no key in {self.key_header}")


def require(is_met: bool, what: str) -> None:  # noqa: FBT001 - reads as an assertion
    if not is_met:
        raise RefusedError(what)


async def _read(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    request_line, *lines = head.strip().split("\r\n")
    method, target, _ = request_line.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    url = urlsplit(target)
    return Seen(method, url.path, parse_qs(url.query), headers, json.loads(body) if body else None)


def event(data: dict[str, Any], *, named: bool = False) -> bytes:
    name = f"event: {data['type']}\r\n" if named else ""
    return f"{name}data: {json.dumps(data)}\r\n\r\n".encode()


def whole(value: dict[str, Any]) -> Reply:
    return failed(200, value)


def failed(status: int, value: dict[str, Any], *headers: str) -> Reply:
    body = json.dumps(value).encode()
    return Reply(status, ("Content-Type: application/json", f"Content-Length: {len(body)}", *headers), body)
