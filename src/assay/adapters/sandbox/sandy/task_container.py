"""The container of one task, beside a remote sandbox that drives it with Docker's command line."""

import asyncio
import logging
import re
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from uuid import uuid4

from assay.adapters.sandbox.archives import packed, unpacked
from assay.adapters.sandbox.docker.programs import signal_of
from assay.adapters.sandbox.sandy import docker_cli
from assay.adapters.sandbox.sandy.driving import Batch, RemoteSandbox
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.programs.containers import GIB, Answering, ContainerLimits, PlacedFile
from assay.domain.programs.sandbox import MIB, Confinement, ExecResult, Limits, Status

_ROOT = 0
_ROOM_FOR_HEADERS = 16 * MIB
_TRANSFER_S = 600.0
# A fork bomb is below its limit now and then.
_NEARLY = 0.9
_DAY_S = 24 * 3600.0
_STATE = re.compile(r"(?P<oom>true|false) (?P<processes>\d+) ?(oom_kill (?P<kills>\d+))?")
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Seen:
    processes: int
    memory_ran_out: bool


class SandyContainer:
    """Created by `SandyContainers.open`; ends with a limit on the whole container, or when it is closed."""

    def __init__(
        self,
        sandbox: RemoteSandbox,
        name: str,
        limits: ContainerLimits,
        *,
        confinement: Confinement,
        on_close: Callable[[], None],
    ) -> None:
        self._sandbox = sandbox
        self._name = name
        self._limits = limits
        self._confinement = confinement
        self._on_close = on_close
        self._ended_by: Status | None = None
        self._is_closed = False
        self._kills = 0

    @property
    def confinement(self) -> Confinement:
        return self._confinement

    async def exec(
        self,
        argv: Sequence[str],
        *,
        wall_s: float,
        stdin: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        is_root: bool = True,
        output_bytes: int = MIB,
    ) -> ExecResult:
        if self._ended_by is not None:
            return self._nothing(self._ended_by)
        command = docker_cli.command(self._name, argv, cwd=cwd, env=env or {}, is_root=is_root)
        batch = Batch(command, [stdin], _limits_of_client(wall_s, output_bytes), "", {}, is_case=False)
        began = time.monotonic()
        watch = docker_cli.watch_disk(self._name, self._limits.disk_bytes)
        [result] = await self._sandbox.run(batch, beside=watch)
        status = await self._status(result)
        if status in (Status.WALL_LIMIT, Status.OUTPUT_LIMIT):
            # The program would keep running: only removing the container ends it.
            await self._end(status)
        wall_s = result.wall_s or time.monotonic() - began
        return self._result(result, status, wall_s)

    async def put(self, folder: str, files: Mapping[str, PlacedFile]) -> None:
        if self._ended_by is not None:
            return
        top = folder.strip("/")
        placed = {f"{top}/{name}": one.content for name, one in files.items()}
        executable = frozenset(f"{top}/{name}" for name, one in files.items() if one.is_executable)
        archive = await asyncio.to_thread(packed, placed, owner=_ROOT, executable=executable)
        try:
            await self._sandbox.feed(archive, docker_cli.put(self._name), within_s=_TRANSFER_S)
        except SandboxError:
            await self._look()
            if self._ended_by is None:
                raise

    async def get(self, folder: str, *, max_files: int = 1000, max_bytes: int = 64 * MIB) -> dict[str, bytes]:
        if self._ended_by is not None:
            return {}
        archive = f"/tmp/assay-{uuid4().hex}.tar"  # noqa: S108 # in the remote sandbox
        script = docker_cli.get(self._name, folder, archive, max_bytes + _ROOM_FOR_HEADERS)
        await self._sandbox.shell(script, within_s=_TRANSFER_S)
        content = await self._sandbox.read(archive)
        return await asyncio.to_thread(unpacked, content, ["**"], max_files=max_files, max_bytes=max_bytes)

    def serving(self, answer: Answering) -> AbstractAsyncContextManager[str]:  # noqa: ARG002 # of the port
        """The service knows no way from a container to this process."""
        raise SandboxUnavailableError(
            "an agent of your own cannot reach its model from a container at the remote sandbox service:"
            " use an engine of this machine (ASSAY_CONTAINERS=docker), or the agent of the benchmark"
        )

    async def close(self) -> None:
        """Whatever the service says to it: the container ends by itself, and what it did is known."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await self._sandbox.shell(docker_cli.remove([self._name]))
            await self._sandbox.terminate()
        except SandboxError as error:
            _logger.warning("a remote container may run until its time is over: %s", error.message)
        finally:
            self._on_close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _status(self, result: ExecResult) -> Status:
        if result.status is Status.SIGNAL:
            # Nobody but the sandbox itself ends Docker's client, which runs apart from the container.
            raise SandboxError("the remote sandbox ended the command before it was done")
        if result.status is not Status.NONZERO:
            return result.status
        seen = await self._look()
        if self._ended_by is not None:
            return self._ended_by
        number = signal_of(result.exit_code)
        if number == signal.SIGKILL and seen.memory_ran_out:
            return Status.MEMORY_LIMIT
        if number is None and seen.processes >= self._limits.processes * _NEARLY:
            return Status.PROCESS_LIMIT
        return Status.NONZERO if number is None else Status.SIGNAL

    async def _look(self) -> _Seen:
        """The state of the container, noting what has ended it if it is gone."""
        said = (await self._sandbox.shell(docker_cli.state(self._name))).strip()
        if said in (docker_cli.FULL, docker_cli.GONE):
            self._ended_by = Status.DISK_LIMIT if said == docker_cli.FULL else Status.SIGNAL
            return _Seen(0, memory_ran_out=False)
        found = _STATE.match(said)
        if found is None:
            raise SandboxError("the remote sandbox tells nothing of its container that can be read")
        kills = int(found["kills"] or (found["oom"] == "true"))
        before, self._kills = self._kills, kills
        return _Seen(int(found["processes"]), memory_ran_out=kills > before)

    async def _end(self, status: Status) -> None:
        self._ended_by = status
        await self._sandbox.shell(docker_cli.remove([self._name]))

    def _result(self, result: ExecResult, status: Status, wall_s: float) -> ExecResult:
        is_program = status in (Status.OK, Status.NONZERO)
        return ExecResult(
            status=status,
            exit_code=result.exit_code if is_program else None,
            signal=signal_of(result.exit_code) if status is Status.SIGNAL else None,
            stdout=result.stdout,
            stderr=result.stderr,
            truncated=result.truncated,
            cpu_s=None,
            wall_s=wall_s,
            peak_bytes=None,
            confinement=self._confinement,
        )

    def _nothing(self, status: Status) -> ExecResult:
        return ExecResult(
            status, None, None, b"", b"", truncated=False, cpu_s=None, wall_s=0.0, peak_bytes=None,
            confinement=self._confinement,
        )  # fmt: skip


def _limits_of_client(wall_s: float, output_bytes: int) -> Limits:
    """Of Docker's client, which does no work: those of the program are the container's."""
    return Limits(
        cpu_s=_DAY_S,
        wall_s=wall_s,
        memory_bytes=8 * GIB,
        processes=4096,
        file_bytes=GIB,
        stdout_bytes=output_bytes,
        stderr_bytes=output_bytes,
    )
