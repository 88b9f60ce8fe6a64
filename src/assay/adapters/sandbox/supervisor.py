"""The service's side of a supervisor: starts the process, exchanges messages with it, ends it."""

import asyncio
import json
import logging
import os
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from assay.adapters.sandbox.local.frames import Frame, FrameReader
from assay.adapters.sandbox.local.messages import Config, Failed, Ready
from assay.adapters.sandbox.local.service_link import CANCEL
from assay.domain.errors import SandboxError

_log = logging.getLogger(__name__)

_PACKAGE = str(Path(__file__).absolute().parents[3])
_CHUNK = 1 << 18
_STARTING_S = 30.0
_ANSWERING_S = 150.0
_ENDING_S = 15.0
_SAID_BYTES = 4000
# Started without site packages and environment, so that the process holds this package alone and no secrets.
_BOOT = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from assay.adapters.sandbox.local.supervise import main
main()
"""


class Supervisor:
    """Replies come in the order of the requests; several requests may be outstanding."""

    def __init__(self, process: Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._frames = FrameReader()
        self._arrived: deque[Frame] = deque()
        self._owed = 0
        self.is_broken = False
        self.ready: Ready = {"uid": 0, "has_group": False, "landlock": 0}

    @classmethod
    async def start(cls, config: Config) -> Self:
        ours, theirs = socket.socketpair()
        argv = ["-I", "-S", "-c", _BOOT, _PACKAGE, str(theirs.fileno()), json.dumps(config)]
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, *argv),
                stdin=DEVNULL,
                stdout=DEVNULL,
                stderr=PIPE,
                pass_fds=[theirs.fileno()],
                env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            )
        reader, writer = await asyncio.open_connection(sock=ours)
        supervisor = cls(process, reader, writer)
        supervisor._owed = 1
        try:
            supervisor.ready = json.loads((await supervisor.receive(timeout_s=_STARTING_S)).text)
        except BaseException:
            supervisor.kill()
            raise
        return supervisor

    async def ask(
        self, name: str, order: Mapping[str, object] | None = None, body: bytes = b"", *, wait_s: float = 0.0
    ) -> Frame:
        """Send a request and wait for the reply; `wait_s` is how long a program may take."""
        await self.settle()
        self.send(name, order, body)
        return await self.receive(timeout_s=_ANSWERING_S + wait_s)

    def send(self, name: str, order: Mapping[str, object] | None = None, body: bytes = b"") -> None:
        self._writer.write(Frame(name, json.dumps(order or {}), body).encoded())
        self._owed += 1

    async def receive(self, *, timeout_s: float) -> Frame:
        """The reply to the oldest request; raises SandboxError on a failure or if none comes."""
        try:
            async with asyncio.timeout(timeout_s):
                frame = await self._next()
        except TimeoutError as error:
            self.kill()
            raise SandboxError(f"the sandbox did not answer within {timeout_s:g} s") from error
        except (OSError, EOFError) as error:
            self.kill()
            raise SandboxError(f"the sandbox has ended: {await self._said() or error}") from error
        except asyncio.CancelledError:
            self.kill()
            raise
        self._owed -= 1
        if frame.name == "failed":
            failed: Failed = json.loads(frame.text)
            self.kill()
            raise SandboxError(f"the sandbox failed: {failed['message']}")
        return frame

    async def settle(self) -> None:
        """Cancel outstanding requests and drop their replies."""
        if self.is_broken:
            raise SandboxError("the sandbox has failed before")
        if not self._owed:
            return
        self.send(CANCEL)
        while self._owed:
            await self.receive(timeout_s=_ANSWERING_S)

    async def close(self) -> None:
        """End the process, which cleans up after itself; kill it if it takes too long."""
        self._writer.close()
        self.is_broken = True
        try:
            async with asyncio.timeout(_ENDING_S):
                await self._process.wait()
        except TimeoutError:
            _log.warning("a sandbox supervisor did not end and was killed")
            self.kill()
            await self._process.wait()

    def kill(self) -> None:
        """Close the socket, upon which the supervisor ends its programs and itself."""
        self.is_broken = True
        self._writer.close()

    async def _next(self) -> Frame:
        while not self._arrived:
            await self._writer.drain()
            data = await self._reader.read(_CHUNK)
            if not data:
                raise EOFError("the connection was closed")
            self._arrived.extend(self._frames.feed(data))
        return self._arrived.popleft()

    async def _said(self) -> str:
        if self._process.stderr is None:
            return ""
        try:
            async with asyncio.timeout(1):
                said = await self._process.stderr.read(_SAID_BYTES)
        except TimeoutError:
            return ""
        return said.decode(errors="replace").strip()[-500:]
