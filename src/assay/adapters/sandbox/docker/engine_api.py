"""The calls of the Docker Engine API that a sandbox needs, over the engine's unix socket."""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from types import TracebackType
from typing import BinaryIO, Self

import aiohttp
import orjson

from assay.adapters.sandbox.docker.starts import Starts
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError

_HOST = "http://docker"
_CALL_S = 120.0
_AGAIN_S = 0.5
_LEAST_STARTS = 2
_CALL = aiohttp.ClientTimeout(total=_CALL_S)
# What a connection of our own raises if the engine does not speak as it should.
_BROKEN = (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError)
_MOST_HEADER_BYTES = 64 * 1024
_FIRST_FAILURE = 400
_MOST_ERROR = 2000
Params = Mapping[str, str]
# Keeps the standard input of a container open until the first client that attaches to it is gone.
STDIN_OF_OURS: Mapping[str, Json] = {"AttachStdin": True, "OpenStdin": True, "StdinOnce": True}


@dataclass(frozen=True, slots=True)
class EngineKind:
    """Name and version that the engine reports."""

    name: str
    version: str

    @property
    def is_podman(self) -> bool:
        return "podman" in self.name.lower()


class EngineAwayError(SandboxError):
    """The engine gave no answer; the message ends with what to do."""

    def __init__(self, socket_path: str, error: Exception) -> None:
        cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
        if isinstance(cause, PermissionError):
            super().__init__(
                f"this user may not use the container engine at {socket_path!r}; add the user to the group"
                " docker, or start Podman's own socket: systemctl --user start podman.socket"
            )
        else:
            super().__init__(
                f"the container engine at {socket_path!r} does not answer: {cause!r}; start Docker or Podman,"
                " or name another socket in DOCKER_HOST"
            )


class EngineApi:
    """Raises SandboxError with the engine's message."""

    def __init__(self, socket_path: str) -> None:
        self.socket_path = socket_path
        self.kind = EngineKind("Docker", "")
        self.starts = Starts(max(_LEAST_STARTS, os.cpu_count() or 1))
        # How often the engine has gone away, as far as `count_ends` has seen.
        self.ends = 0
        self._session = aiohttp.ClientSession(
            connector=aiohttp.UnixConnector(socket_path, limit=0), timeout=_CALL
        )

    async def detect_kind(self) -> None:
        """Ask the engine for its name and version; raises SandboxError if nothing answers."""
        version = await self.call("GET", "/version")
        parts = version.get("Components")
        first = parts[0] if isinstance(parts, Sequence) and parts else None
        name = first.get("Name") if isinstance(first, Mapping) else None
        self.kind = EngineKind(name if isinstance(name, str) else "Docker", str(version.get("Version", "")))

    async def call(
        self, method: str, path: str, *, params: Params | None = None, body: Json = None
    ) -> Mapping[str, Json]:
        """One call with JSON in both directions; a list is returned as `items`."""
        data = None if body is None else orjson.dumps(body)
        answer = await self._answer(method, path, params=params, data=data, kind="application/json")
        try:
            found: Json = orjson.loads(answer) if answer.strip() else {}
        except orjson.JSONDecodeError as error:
            raise SandboxError(f"the container engine answered {method} {path} with no JSON") from error
        return found if isinstance(found, Mapping) else {"items": found}

    async def send(self, method: str, path: str, archive: bytes, *, params: Params) -> None:
        """Upload a tar archive."""
        await self._answer(method, path, params=params, data=archive, kind="application/x-tar")

    async def progress(
        self, method: str, path: str, *, params: Params, data: BinaryIO | None = None, within_s: float
    ) -> AsyncGenerator[Mapping[str, Json]]:
        """The messages of a long call, such as a build; raises SandboxError for one that is an error."""
        limit = aiohttp.ClientTimeout(total=within_s)
        headers = {"Content-Type": "application/x-tar"} if data is not None else {}
        try:
            async with self._session.request(
                method, _HOST + path, params=params, data=data, headers=headers, timeout=limit
            ) as response:
                if response.status >= _FIRST_FAILURE:
                    raise _refused(method, path, response.status, await response.read())
                async for line in response.content:
                    message: Json = orjson.loads(line) if line.strip() else None
                    if not isinstance(message, Mapping):
                        continue
                    if "error" in message:
                        raise SandboxError(f"the container engine failed: {message['error']}"[:_MOST_ERROR])
                    yield message
        except TimeoutError as error:
            raise SandboxError(f"{method} {path} did not end within {within_s:g} s") from error
        except (aiohttp.ClientError, OSError, orjson.JSONDecodeError, ValueError) as error:
            raise self._unreachable(error) from error

    async def download(self, path: str, *, params: Params, max_bytes: int) -> bytes:
        """Download a tar archive, truncated at `max_bytes`."""
        try:
            async with self._session.get(_HOST + path, params=params) as response:
                if response.status >= _FIRST_FAILURE:
                    raise _refused("GET", path, response.status, await response.read())
                content = bytearray()
                async for chunk in response.content.iter_chunked(1 << 16):
                    content += chunk
                    if len(content) > max_bytes:
                        # Sparse files are larger in the archive than on disk.
                        break
                return bytes(content)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise self._unreachable(error) from error

    async def remove(self, container: str) -> None:
        """Remove a container and its volumes; it is not an error if it is already gone."""
        await self._ended("DELETE", f"/containers/{container}", {"force": "true", "v": "true"})

    async def kill(self, container: str) -> None:
        """End a container; unlike removing it, Podman also does so while another shares its network."""
        await self._ended("POST", f"/containers/{container}/kill", {})

    async def _ended(self, method: str, path: str, params: Params) -> None:
        try:
            await self.call(method, path, params=params)
        except SandboxError as error:
            # If two removals overlap, the later one is refused; the container is removed either way.
            if " 404" not in error.message and " 409" not in error.message:
                raise

    async def attached(
        self, path: str, body: Json = None
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A call whose connection then carries a program's streams; HTTP clients do not expose it."""
        # What Podman does not expect as a body is the first that the program reads.
        data = b"" if body is None else orjson.dumps(body)
        head = (
            f"POST {path} HTTP/1.1\r\nHost: docker\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
        )
        writer: asyncio.StreamWriter | None = None
        try:
            async with asyncio.timeout(_CALL_S):
                reader, writer = await asyncio.open_unix_connection(
                    self.socket_path, limit=_MOST_HEADER_BYTES
                )
                writer.write(head.encode() + data)
                await writer.drain()
                answer = await reader.readuntil(b"\r\n\r\n")
                status = int(answer.split(b" ", 2)[1])
                rest = b"" if status in (101, 200) else await reader.read(_MOST_HEADER_BYTES)
        except BaseException as error:
            if writer is not None:
                writer.close()
            if isinstance(error, _BROKEN):
                raise self._unreachable(error) from error
            raise
        if status not in (101, 200):
            writer.close()
            raise _refused("POST", path, status, rest)
        return reader, writer

    async def count_ends(self) -> None:
        """Hold a connection for as long as the task lasts, and count how often the engine ends it."""
        params, forever = {"filters": '{"type":["daemon"]}'}, aiohttp.ClientTimeout(total=None)
        while True:
            with contextlib.suppress(aiohttp.ClientError, OSError):
                async with self._session.get(_HOST + "/events", params=params, timeout=forever) as response:
                    await response.content.read()
            self.ends += 1
            await asyncio.sleep(_AGAIN_S)

    async def close(self) -> None:
        await self._session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _answer(
        self, method: str, path: str, *, params: Params | None, data: bytes | None, kind: str
    ) -> bytes:
        headers = {"Content-Type": kind} if data is not None else {}
        try:
            async with self._session.request(
                method, _HOST + path, params=params, data=BytesIO(data) if data else None, headers=headers
            ) as response:
                answer = await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise self._unreachable(error) from error
        if response.status >= _FIRST_FAILURE:
            raise _refused(method, path, response.status, answer)
        return answer

    def _unreachable(self, error: Exception) -> SandboxError:
        return EngineAwayError(self.socket_path, error)


def _refused(method: str, path: str, status: int, answer: bytes) -> SandboxError:
    try:
        found: Json = orjson.loads(answer)
    except orjson.JSONDecodeError:
        found = None
    said = found.get("message") if isinstance(found, Mapping) else None
    words = said if isinstance(said, str) else answer.decode(errors="replace")[:300].strip()
    return SandboxError(f"the container engine refused {method} {path}: {status} {words}")
