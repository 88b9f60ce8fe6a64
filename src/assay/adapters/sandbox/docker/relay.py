"""Lets programs in a container ask this process over HTTP, and reach nothing else by it.

A second container shares the loopback address of the first, and nothing more of it: the task's image needs
no program for this, and the task's programs can neither see nor end the relay.
"""

import asyncio
import base64
import contextlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files

import orjson

from assay.adapters.sandbox.docker import relay_program
from assay.adapters.sandbox.docker.engine_api import STDIN_OF_OURS, EngineApi
from assay.adapters.sandbox.docker.orphans import LABEL, owner
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError
from assay.domain.programs.containers import Answering, HttpQuestion
from assay.domain.programs.sandbox import MIB

_STARTING_S = 60.0
_HEADER_BYTES = 8
_STDOUT = 1
# A request in base64, and the rest of its line.
_MOST_LINE_BYTES = 2 * relay_program.MOST_BODY_BYTES


@asynccontextmanager
async def opened_relay(
    api: EngineApi, *, image: str, container: str, answer: Answering
) -> AsyncGenerator[str]:
    """The address at which the container's programs reach `answer` while the block lasts."""
    created = await api.call("POST", "/containers/create", body=_creation(image, container))
    relay = str(created["Id"])
    try:
        path = f"/containers/{relay}/attach?stream=1&stdin=1&stdout=1&stderr=1"
        reader, writer = await api.attached(path)
        await api.call("POST", f"/containers/{relay}/start")
        lines = _Lines(reader)
        try:
            port = await _port(lines)
            serving = asyncio.create_task(_serve(lines, writer, answer))
            try:
                yield f"http://127.0.0.1:{port}"
            finally:
                serving.cancel()
                await asyncio.gather(serving, return_exceptions=True)
        finally:
            writer.close()
    finally:
        await api.remove(relay)


def _creation(image: str, container: str) -> dict[str, Json]:
    """It ends with its input, and so also if this process is killed."""
    source = files(relay_program.__package__ or "").joinpath("relay_program.py").read_text(encoding="utf-8")
    return {
        "Image": image,
        "Entrypoint": ["python3", "-c", source],
        "Cmd": [],
        **STDIN_OF_OURS,
        "AttachStdout": True,
        "AttachStderr": True,
        "User": "65534:65534",
        "Labels": {LABEL: owner()},
        "HostConfig": {
            "Init": True,
            "AutoRemove": True,
            "NetworkMode": f"container:{container}",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "Memory": 512 * MIB,
            "MemorySwap": 512 * MIB,
            "PidsLimit": 256,
            "Ulimits": [{"Name": "core", "Soft": 0, "Hard": 0}],
        },
    }


async def _port(lines: "_Lines") -> int:
    try:
        async with asyncio.timeout(_STARTING_S):
            first = await lines.next()
    except TimeoutError as error:
        raise SandboxError("the relay to the agent's container did not start in time") from error
    port = first.get("port") if first is not None else None
    if not isinstance(port, int):
        said = lines.errors.decode("utf-8", "replace").strip()[-500:]
        raise SandboxError(f"the relay to the agent's container did not start: {said}")
    return port


class _Lines:
    """The relay's lines; what it writes to standard error is kept for a message."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._rest = bytearray()
        self.errors = bytearray()

    async def next(self) -> Mapping[str, Json] | None:
        """None once the relay has ended, or does not speak as ours does."""
        looked_at = 0
        while (end := self._rest.find(b"\n", looked_at)) < 0:
            looked_at = len(self._rest)
            if looked_at > _MOST_LINE_BYTES or not await self._more():
                return None
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        with contextlib.suppress(orjson.JSONDecodeError):
            found: Json = orjson.loads(line)
            return found if isinstance(found, Mapping) else None
        return None

    async def _more(self) -> bool:
        try:
            header = await self._reader.readexactly(_HEADER_BYTES)
            chunk = await self._reader.readexactly(int.from_bytes(header[4:], "big"))
        except (asyncio.IncompleteReadError, ConnectionError):
            return False
        if header[0] == _STDOUT:
            self._rest += chunk
        else:
            self.errors += chunk[: _MOST_LINE_BYTES - len(self.errors)]
        return True


async def _serve(lines: _Lines, writer: asyncio.StreamWriter, answer: Answering) -> None:
    writing = asyncio.Lock()

    async def one(asked: Mapping[str, Json]) -> None:
        found = await answer(_question(asked))
        reply: dict[str, Json] = {
            "number": asked.get("number"),
            "status": found.status,
            "content_type": found.content_type,
            "body": base64.b64encode(found.body).decode(),
        }
        # The relay may have ended, and with it whoever asked.
        with contextlib.suppress(ConnectionError):
            async with writing:
                writer.write(orjson.dumps(reply) + b"\n")
                await writer.drain()

    async with asyncio.TaskGroup() as group:
        while (asked := await lines.next()) is not None:
            group.create_task(one(asked))


def _question(asked: Mapping[str, Json]) -> HttpQuestion:
    return HttpQuestion(
        method=str(asked.get("method")),
        path=str(asked.get("path")),
        authorization=str(asked.get("authorization")),
        body=base64.b64decode(str(asked.get("body"))),
    )
