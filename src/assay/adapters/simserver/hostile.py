"""An endpoint whose replies are made to harm the client: raw bytes, written as a table says.

Every kind of reply has an address of its own, `http://HOST:PORT/KIND/v1`.
"""

import asyncio
import re
import struct
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import Enum, auto
from socket import SO_LINGER, SOL_SOCKET
from typing import NamedTuple

_KEY = re.compile(rb"(?i)\r\nauthorization: *(?:bearer +)?([^\r]+)")
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_BLOCK_BYTES = 64 * 1024
_HEAD_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Repeated:
    """The bytes again and again: so many times, or until the client goes; with a pause after each."""

    block: bytes
    times: int | None = None
    every_s: float = 0.0


@dataclass(frozen=True, slots=True)
class OneByOne:
    """The bytes one at a time, with a pause after each."""

    data: bytes
    every_s: float


class End(Enum):
    """What happens to the connection; it is closed where a reply says nothing else."""

    RESET = auto()
    HOLD = auto()
    KEEP = auto()


KEY = b"{the key of the request}"
"""In a reply, replaced by the key that the client sent."""

Reply = tuple[bytes | Repeated | OneByOne | End, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """Replies to completions, played in turn, and to `GET /models`.

    `ends` holds how attempts may end: an outcome, `scored` where the reply is an answer that is graded, or
    `failed` where the evaluation fails with a message before it asks anything.
    """

    about: str
    ends: tuple[str, ...]
    replies: Sequence[Reply]
    models: Reply


class _Asked(NamedTuple):
    path: str
    key: bytes


async def _asked(reader: asyncio.StreamReader) -> _Asked:
    """The next request, whose body is read and dropped."""
    head = await reader.readuntil(b"\r\n\r\n")
    if length := _LENGTH.search(head):
        await reader.readexactly(int(length[1]))
    key = _KEY.search(head)
    return _Asked(head.split(b" ", 2)[1].decode("latin-1"), key[1] if key else b"no key")


async def _play(reply: Reply, key: bytes, writer: asyncio.StreamWriter) -> End | None:
    """Write the reply; returns what is to become of the connection."""
    for step in reply:
        if isinstance(step, End):
            return step
        if isinstance(step, OneByOne):
            for number in range(len(step.data)):
                await _write(writer, step.data[number : number + 1], step.every_s)
        elif isinstance(step, Repeated):
            await _repeat(writer, step)
        else:
            await _write(writer, step.replace(KEY, key))
    return None


async def _repeat(writer: asyncio.StreamWriter, step: Repeated) -> None:
    # Small blocks are sent many at once: a block at a time would be no more than the client can take.
    at_once = 1 if step.every_s else max(1, _BLOCK_BYTES // len(step.block))
    left = step.times
    while left is None or left > 0:
        count = at_once if left is None else min(at_once, left)
        await _write(writer, step.block * count, step.every_s)
        left = None if left is None else left - count


async def _write(writer: asyncio.StreamWriter, data: bytes, pause_s: float = 0.0) -> None:
    if writer.is_closing():
        # uvloop raises RuntimeError for a write after the client has gone.
        raise ConnectionResetError
    writer.write(data)
    await writer.drain()
    if pause_s:
        await asyncio.sleep(pause_s)


def _reset(writer: asyncio.StreamWriter) -> None:
    # A socket that does not linger is closed with a reset.
    socket = writer.get_extra_info("socket")
    socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class HostileServer:
    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self._kinds = kinds
        self._turns: Counter[str] = Counter()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until the client goes or a reply ends it."""
        with suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            while True:
                asked = await _asked(reader)
                end = await _play(self._reply(asked.path), asked.key, writer)
                if end is End.RESET:
                    _reset(writer)
                if end is End.HOLD:
                    await reader.read()
                if end is not End.KEEP:
                    break
        writer.close()

    def _reply(self, path: str) -> Reply:
        name = path.split("/")[1]
        kind = self._kinds.get(name)
        if kind is None:
            return (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", End.KEEP)
        if path.endswith("/models"):
            return kind.models
        self._turns[name] += 1
        return kind.replies[(self._turns[name] - 1) % len(kind.replies)]


@asynccontextmanager
async def hostile_running(kinds: Mapping[str, Kind], *, host: str, port: int) -> AsyncGenerator[str]:
    """Serve until the block ends; yields the address, to which a kind and `/v1` are added."""
    server = await asyncio.start_server(
        HostileServer(kinds).serve, host, port, limit=_HEAD_BYTES, backlog=1024
    )
    try:
        bound_host, bound_port = server.sockets[0].getsockname()[:2]
        yield f"http://{bound_host}:{bound_port}"
    finally:
        server.close()
