"""A Docker engine of the tests' own: its folder, its socket, and an image made from this machine's Python."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.machine_image import machine_image
from assay.domain.errors import SandboxError

IMAGE = "assay-test:1"
_PROGRAMS = ("sh", "sleep", "true", "cat", "ln", "mkdir", "find", "head", "mkfifo", "setsid")
_STARTING_S = 60.0


@dataclass(frozen=True)
class DockerEngine:
    socket_path: str
    # Ends it, as an update does, and starts it again.
    restart: Callable[[], None]
    image: str = IMAGE


def missing() -> str | None:
    """What keeps an engine from being started here, if anything does."""
    if os.getuid() != 0:
        return "only root can start dockerd"
    absent = [name for name in ("dockerd", "containerd", "runc") if shutil.which(name) is None]
    return f"{', '.join(absent)} not installed; apt-get install docker.io" if absent else None


@contextlib.contextmanager
def running_engine() -> Generator[DockerEngine]:
    # A short path: that of a socket may have 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="assay-dk-", dir="/tmp"))
    options = [
        f"--data-root={folder}/data",
        f"--exec-root={folder}/exec",
        f"--host=unix://{folder}/d.sock",
        f"--pidfile={folder}/d.pid",
        "--bridge=none",
        "--iptables=false",
        "--ip6tables=false",
        "--ip-forward=false",
    ]
    socket_path, log = f"{folder}/d.sock", folder / "log"
    process = _started(options, log)

    def restart() -> None:
        nonlocal process
        process.terminate()
        process.wait(timeout=60)
        process = _started(options, log)
        asyncio.run(_answers(socket_path, log))

    try:
        asyncio.run(_prepare(socket_path, log))
        yield DockerEngine(socket_path, restart)
    finally:
        process.terminate()
        process.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def _started(options: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as file:
        return subprocess.Popen(["dockerd", *options], stdout=file, stderr=file)


async def _prepare(socket_path: str, log: Path) -> None:
    await _answers(socket_path, log)
    async with EngineApi(socket_path) as api:
        params = {"fromSrc": "-", "repo": IMAGE.partition(":")[0], "tag": IMAGE.partition(":")[2]}
        await api.send("POST", "/images/create", machine_image(_PROGRAMS), params=params)


async def _answers(socket_path: str, log: Path) -> None:
    deadline = time.monotonic() + _STARTING_S
    async with EngineApi(socket_path) as api:
        while not api.kind.version:
            try:
                await api.detect_kind()
            except SandboxError:
                if time.monotonic() > deadline:
                    said = await asyncio.to_thread(log.read_text, errors="replace")
                    raise RuntimeError(said[-2000:]) from None
                await asyncio.sleep(0.2)
