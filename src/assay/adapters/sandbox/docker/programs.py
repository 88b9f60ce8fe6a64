"""One program in a running container: its streams, limits and result."""

import asyncio
import contextlib
import math
import signal
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from assay.adapters.sandbox.docker.container import limited
from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import Limits, Status

_HEADER_BYTES = 8
_BY_SIGNAL = 128
_NEARLY = 0.98
_LOOK_S = 0.5
Stop = Literal["wall", "output", "cpu"]
_STOPPED: dict[Stop, Status] = {
    "wall": Status.WALL_LIMIT,
    "output": Status.OUTPUT_LIMIT,
    "cpu": Status.CPU_LIMIT,
}


@dataclass(frozen=True, slots=True)
class Command:
    argv: Sequence[str]
    # None: the user of the image.
    user: int | None
    # None leaves it to the container.
    cwd: str | None
    limits: Limits
    stdin: bytes = b""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    # True for our own commands, which need no limits per process.
    is_trusted: bool = False
    # Whether to stop reading when the program has ended, though others that it started hold its streams open.
    ends_with_program: bool = False


@dataclass(slots=True)
class Streams:
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    is_truncated: bool = False

    def add(self, stream: int, chunk: bytes, limits: Limits) -> bool:
        """Keep what fits; returns False once standard output has reached its limit."""
        is_error = stream == 2  # noqa: PLR2004 # the number of the stream
        kept, most = (self.stderr, limits.stderr_bytes) if is_error else (self.stdout, limits.stdout_bytes)
        room = most - len(kept)
        kept += chunk[:room]
        if len(chunk) <= room:
            return True
        self.is_truncated = True
        return is_error


@dataclass(frozen=True, slots=True)
class Ended:
    """`stopped` says why waiting was given up: the program still runs, and the container must be killed."""

    streams: Streams
    wall_s: float
    exit_code: int | None
    stopped: Stop | None


async def run(api: EngineApi, container: str, command: Command) -> Ended:
    """Run a command until it ends or reaches a limit on time, on processor time in all, or on output."""
    async with api.starts.one():
        return await _run(api, container, command)


async def _run(api: EngineApi, container: str, command: Command) -> Ended:
    body: dict[str, Json] = {
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "Cmd": list(command.argv) if command.is_trusted else limited(list(command.argv), command.limits),
        **({} if command.user is None else {"User": f"{command.user}:{command.user}"}),
        "Env": [f"{name}={value}" for name, value in command.env.items()],
        **({} if command.cwd is None else {"WorkingDir": command.cwd}),
    }
    created = await api.call("POST", f"/containers/{container}/exec", body=body)
    path = f"/exec/{created['Id']}"
    began = time.monotonic()
    reader, writer = await api.attached(f"{path}/start", {"Detach": False, "Tty": False})
    streams = Streams()
    feeding = asyncio.create_task(_feed(writer, command.stdin))
    try:
        watches: list[Coroutine[None, None, Stop | None]] = [_read(reader, streams, command.limits)]
        if math.isfinite(command.limits.cpu_s):
            watches.append(_spent(api, container, command.limits.cpu_s))
        if command.ends_with_program:
            watches.append(_over(api, path))
        stopped = await _first(*watches, within_s=command.limits.wall_s)
    finally:
        feeding.cancel()
        writer.close()
    wall_s = time.monotonic() - began
    exit_code = None if stopped else await _exit_code(api, path)
    return Ended(streams, wall_s, exit_code, stopped)


async def status_of(api: EngineApi, container: str, ended: Ended, limits: Limits) -> Status:
    """How the program ended; asks the engine only if the exit code is ambiguous."""
    if ended.stopped is not None:
        return _STOPPED[ended.stopped]
    if ended.exit_code is None:
        raise SandboxError("the container engine does not know how the program ended")
    if ended.exit_code == 0:
        return Status.OK
    number = signal_of(ended.exit_code)
    if number is None:
        return Status.NONZERO
    if number == signal.SIGXCPU:
        return Status.CPU_LIMIT
    if number == signal.SIGKILL:
        return await _killed(api, container, ended, limits)
    return Status.SIGNAL


def signal_of(exit_code: int | None) -> int | None:
    """Engines report a signal as 128 plus its number."""
    if exit_code is None or not _BY_SIGNAL < exit_code < _BY_SIGNAL + signal.NSIG:
        return None
    return exit_code - _BY_SIGNAL


async def _killed(api: EngineApi, container: str, ended: Ended, limits: Limits) -> Status:
    """The kernel kills if memory runs out, and if a program ignores the signal of the CPU limit."""
    stats = await _stats(api, container)
    memory = _table(stats.get("memory_stats"))
    peak_bytes = _number(memory.get("max_usage")) or _number(memory.get("usage"))
    if ended.wall_s >= limits.cpu_s and _cpu_s(stats) >= limits.cpu_s:
        return Status.CPU_LIMIT
    state = _table((await api.call("GET", f"/containers/{container}/json")).get("State"))
    is_full = state.get("OOMKilled") is True or peak_bytes >= limits.memory_bytes * _NEARLY
    return Status.MEMORY_LIMIT if is_full else Status.SIGNAL


async def _feed(writer: asyncio.StreamWriter, stdin: bytes) -> None:
    # A program need not read its input to the end.
    with contextlib.suppress(ConnectionError, BrokenPipeError):
        writer.write(stdin)
        await writer.drain()
        writer.write_eof()


async def _first(*watches: Coroutine[None, None, Stop | None], within_s: float) -> Stop | None:
    """The result of the first one to finish, or that none did in time."""
    tasks = [asyncio.create_task(one) for one in watches]
    try:
        done, _ = await asyncio.wait(tasks, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        ended = next((one for one in tasks if one in done), None)
        return "wall" if ended is None else ended.result()
    finally:
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _spent(api: EngineApi, container: str, cpu_s: float) -> Stop:
    """Return when all processes of a container have used more than `cpu_s` since the first reading.

    The first reading comes after a pause, so that short programs need none.
    """
    first_s: float | None = None
    while True:
        await asyncio.sleep(_LOOK_S)
        used_s = _cpu_s(await _stats(api, container))
        first_s = used_s if first_s is None else first_s
        if used_s - first_s > cpu_s:
            return "cpu"


async def _stats(api: EngineApi, container: str) -> Mapping[str, Json]:
    params = {"stream": "false", "one-shot": "true"}
    return await api.call("GET", f"/containers/{container}/stats", params=params)


def _cpu_s(stats: Mapping[str, Json]) -> float:
    return _number(_table(_table(stats.get("cpu_stats")).get("cpu_usage")).get("total_usage")) / 1e9


async def _read(reader: asyncio.StreamReader, streams: Streams, limits: Limits) -> Stop | None:
    """Read both streams to their end, or until the limit on output is reached."""
    while True:
        try:
            header = await reader.readexactly(_HEADER_BYTES)
            chunk = await reader.readexactly(int.from_bytes(header[4:], "big"))
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise SandboxError("the container engine closed a program's streams in the middle") from error
            return None
        if not streams.add(header[0], chunk, limits):
            return "output"


async def _over(api: EngineApi, path: str) -> None:
    """Return a moment after the program itself has ended; what it wrote is there by then."""
    while True:
        await asyncio.sleep(_LOOK_S)
        if (await api.call("GET", f"{path}/json")).get("Running") is False:
            await asyncio.sleep(_LOOK_S)
            return


async def _exit_code(api: EngineApi, path: str) -> int | None:
    # The streams end shortly before the engine has recorded the exit code.
    for _ in range(200):
        state = await api.call("GET", f"{path}/json")
        code = state.get("ExitCode")
        if state.get("Running") is False and isinstance(code, int):
            return code
        await asyncio.sleep(0.01)
    return None


def _table(found: Json) -> Mapping[str, Json]:
    return found if isinstance(found, Mapping) else {}


def _number(found: Json) -> float:
    return float(found) if isinstance(found, int | float) else 0.0
