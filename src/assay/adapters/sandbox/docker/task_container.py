"""The container of one task: programs, files and limits, over the engine's API."""

import asyncio
import contextlib
import math
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

from assay.adapters.sandbox.archives import packed, unpacked
from assay.adapters.sandbox.docker.engine_api import STDIN_OF_OURS, EngineApi, EngineAwayError
from assay.adapters.sandbox.docker.orphans import LABEL, owner
from assay.adapters.sandbox.docker.programs import Command, Ended, Streams, run, signal_of, status_of
from assay.adapters.sandbox.docker.relay import opened_relay
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError
from assay.domain.programs.containers import Answering, ContainerLimits, ContainerSpec, PlacedFile
from assay.domain.programs.sandbox import MIB, Confinement, ExecResult, Limits, Status

ROOT = 0
# Ends with its input, which this process holds open, or when the time is over: so a container is gone soon
# after the process that started it, whatever killed that one.
_MAIN = '(sleep "$0" && kill $$) & while read -r _; do :; done'
_WATCH_S = 2.0
_REST = 10
_ROOM_FOR_HEADERS = 16 * MIB
# A fork bomb is below its limit now and then.
_NEARLY = 0.9
# What engines answer in place of a program, in a container that is ending.
_NOT_STARTED, _STOPPED = 126, b"cannot exec in a stopped"
_LOOKS, _LOOK_S = 50, 0.1
# Where cgroup v2 and cgroup v1 count the processes that the kernel killed for want of memory.
OOM_COUNTS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
_COUNT = re.compile(rb"^oom_kill (\d+)$", re.MULTILINE)
_NOT_THERE = ": 404 "


def creation(spec: ContainerSpec, *, processors: float) -> dict[str, Json]:
    """The body of the call that creates a task's container.

    Root and the capabilities that engines give by default stay, since tasks install packages; the engine's
    socket and files of this machine are never mounted.
    """
    limits = spec.limits
    body: dict[str, Json] = {
        "Image": spec.image,
        "Entrypoint": ["sh", "-c", _MAIN, str(limits.lifetime_s)],
        "Cmd": [],
        **STDIN_OF_OURS,
        "Hostname": spec.hostname,
        "Env": [f"{name}={value}" for name, value in spec.env.items()],
        "Labels": {LABEL: owner()},
        "NetworkDisabled": spec.network == "none",
        "HostConfig": {
            # Without init the zombies of a fork bomb would use up the process limit for good.
            "Init": True,
            # Kept when it ends, which tells whether its own programs ended it or somebody removed it.
            "AutoRemove": False,
            "NetworkMode": "none" if spec.network == "none" else "default",
            "NanoCpus": int(min(limits.cpus, processors) * 10**9),
            # Where all want the processor, the service goes first.
            "CpuShares": 512,
            "Memory": limits.memory_bytes,
            "MemorySwap": limits.memory_bytes,
            "PidsLimit": limits.processes,
            "Ulimits": [{"Name": "core", "Soft": 0, "Hard": 0}],
        },
    }
    return body if spec.workdir is None else {**body, "WorkingDir": spec.workdir}


class TaskContainer:
    """Created by `DockerContainers.open`; ends with a limit on the whole container, or when it is closed."""

    def __init__(
        self,
        api: EngineApi,
        container: str,
        limits: ContainerLimits,
        hold: asyncio.StreamWriter,
        *,
        confinement: Confinement,
        relay_image: Callable[[], Awaitable[str]],
        on_close: Callable[[], None],
    ) -> None:
        self._api = api
        self._id = container
        self._limits = limits
        self._hold = hold
        self._confinement = confinement
        self._relay_image = relay_image
        self._on_close = on_close
        self._ended_by: Status | None = None
        self._is_closed = False
        self._full_at: float | None = None
        self._kills = 0
        self._engine_ends = api.ends
        self._watch = asyncio.create_task(self._watch_limits())

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
            return self._result(_nothing_ran(), self._ended_by)
        limits = Limits(
            cpu_s=math.inf,
            wall_s=wall_s,
            memory_bytes=self._limits.memory_bytes,
            stdout_bytes=output_bytes,
            stderr_bytes=output_bytes,
        )
        user = ROOT if is_root else None
        command = Command(
            argv, user, cwd, limits, stdin=stdin, env=env or {}, is_trusted=True, ends_with_program=True
        )
        began = time.monotonic()
        try:
            ended = await run(self._api, self._id, command)
            # Programs of a container that is ended look as if a signal had ended them.
            status = self._ended_by or await self._status(ended, limits, began)
        except SandboxError as error:
            return self._result(_nothing_ran(), await self._ending(error))
        if ended.stopped is not None:
            # The program would keep running: only removing the container ends it.
            await self._end(status)
        return self._result(ended, status)

    async def put(self, folder: str, files: Mapping[str, PlacedFile]) -> None:
        if self._ended_by is not None:
            return
        top = folder.strip("/")
        placed = {f"{top}/{name}": one.content for name, one in files.items()}
        executable = frozenset(f"{top}/{name}" for name, one in files.items() if one.is_executable)
        archive = await asyncio.to_thread(packed, placed, owner=ROOT, executable=executable)
        try:
            await self._api.send("PUT", f"/containers/{self._id}/archive", archive, params={"path": "/"})
        except SandboxError as error:
            await self._ending(error)

    async def get(self, folder: str, *, max_files: int = 1000, max_bytes: int = 64 * MIB) -> dict[str, bytes]:
        if self._ended_by is not None:
            return {}
        place = f"/containers/{self._id}/archive"
        try:
            archive = await self._api.download(
                place, params={"path": folder}, max_bytes=max_bytes + _ROOM_FOR_HEADERS
            )
        except SandboxError as error:
            if _NOT_THERE in error.message:
                return {}
            raise
        return await asyncio.to_thread(unpacked, archive, ["**"], max_files=max_files, max_bytes=max_bytes)

    @asynccontextmanager
    async def serving(self, answer: Answering) -> AsyncGenerator[str]:
        image = await self._relay_image()
        async with opened_relay(
            self._api,
            image=image,
            container=self._id,
            answer=answer,
        ) as address:
            yield address

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._watch.cancel()
        try:
            await asyncio.wait([self._watch])
            await self._api.remove(self._id)
        finally:
            self._hold.close()
            self._on_close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _ending(self, error: SandboxError) -> Status:
        """What ended the container in the middle of a call: the watch, or its own programs; else raises."""
        if self._ended_by is not None:
            return self._ended_by
        if isinstance(error, EngineAwayError):
            raise error
        state = await self._state()
        if state.get("Running") is not False:
            raise error
        if self._api.ends > self._engine_ends:
            raise SandboxError(
                "the container engine was started again, which has ended the container"
            ) from error
        self._ended_by = Status.MEMORY_LIMIT if state.get("OOMKilled") is True else Status.SIGNAL
        return self._ended_by

    async def _state(self) -> Mapping[str, Json]:
        state = (await self._api.call("GET", f"/containers/{self._id}/json")).get("State")
        return state if isinstance(state, Mapping) else {}

    async def _status(self, ended: Ended, limits: Limits, began: float) -> Status:
        if ended.exit_code == _NOT_STARTED and _STOPPED in ended.streams.stdout + ended.streams.stderr:
            # The container has just ended, and the engine takes a moment to notice.
            for _ in range(_LOOKS):
                if (await self._state()).get("Running") is False:
                    raise SandboxError("the program was not started, since its container has ended")
                await asyncio.sleep(_LOOK_S)
        status = await status_of(self._api, self._id, ended, limits)
        if status in (Status.SIGNAL, Status.MEMORY_LIMIT):
            return await self._killed(status)
        if status is not Status.NONZERO:
            return status
        was_full = self._full_at is not None and self._full_at >= began
        return Status.PROCESS_LIMIT if was_full or await self._is_out_of_processes() else status

    async def _killed(self, guess: Status) -> Status:
        """By the kernel's count of programs that it killed for want of memory, or the guess."""
        command = Command(["cat", *OOM_COUNTS], ROOT, None, Limits(), is_trusted=True)
        with contextlib.suppress(SandboxError):
            told = await run(self._api, self._id, command)
            found = _COUNT.search(told.streams.stdout)
            if found is not None:
                kills, self._kills = self._kills, int(found[1])
                return Status.MEMORY_LIMIT if self._kills > kills else Status.SIGNAL
        return guess

    async def _is_out_of_processes(self) -> bool:
        """Whether the container has as many processes as it may, so that the program could start none."""
        stats = await self._api.call(
            "GET", f"/containers/{self._id}/stats", params={"stream": "false", "one-shot": "true"}
        )
        pids = stats.get("pids_stats")
        current = pids.get("current") if isinstance(pids, Mapping) else None
        return isinstance(current, int) and current >= self._limits.processes * _NEARLY

    async def _watch_limits(self) -> None:
        """End the container once it has written more than its limit: few storage drivers have one.

        That it had as many processes as it may is remembered: they may have ended before their program.
        """
        took_s = 0.0
        while True:
            # The engine walks through all files: where that takes long, it is asked less often.
            await asyncio.sleep(max(_WATCH_S, _REST * took_s))
            began = time.monotonic()
            try:
                found = await self._api.call("GET", f"/containers/{self._id}/json", params={"size": "true"})
                written = found.get("SizeRw")
                if isinstance(written, int) and written > self._limits.disk_bytes:
                    await self._end(Status.DISK_LIMIT)
                    return
                if await self._is_out_of_processes():
                    self._full_at = time.monotonic()
            except SandboxError:
                if self._ended_by is not None:
                    return
            took_s = time.monotonic() - began

    async def _end(self, status: Status) -> None:
        self._ended_by = status
        await self._api.kill(self._id)

    def _result(self, ended: Ended, status: Status) -> ExecResult:
        return ExecResult(
            status=status,
            exit_code=ended.exit_code if status in (Status.OK, Status.NONZERO) else None,
            signal=signal_of(ended.exit_code) if status is Status.SIGNAL else None,
            stdout=bytes(ended.streams.stdout),
            stderr=bytes(ended.streams.stderr),
            truncated=ended.streams.is_truncated,
            cpu_s=None,
            wall_s=ended.wall_s,
            peak_bytes=None,
            confinement=self._confinement,
        )


def _nothing_ran() -> Ended:
    return Ended(Streams(), wall_s=0.0, exit_code=None, stopped=None)
