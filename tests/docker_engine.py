"""A Docker engine of the tests' own: its folder, its socket, and an image made from this machine's Python."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
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
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(["dockerd", *options], stdout=log, stderr=log)
    try:
        asyncio.run(_prepare(f"{folder}/d.sock", folder / "log"))
        yield DockerEngine(f"{folder}/d.sock")
    finally:
        process.terminate()
        process.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


async def _prepare(socket_path: str, log: Path) -> None:
    deadline = time.monotonic() + _STARTING_S
    async with EngineApi(socket_path) as api:
        while True:
            try:
                await api.detect_kind()
                break
            except SandboxError:
                if time.monotonic() > deadline:
                    said = await asyncio.to_thread(log.read_text, errors="replace")
                    raise RuntimeError(said[-2000:]) from None
                await asyncio.sleep(0.2)
        params = {"fromSrc": "-", "repo": IMAGE.partition(":")[0], "tag": IMAGE.partition(":")[2]}
        await api.send("POST", "/images/create", machine_image(_PROGRAMS), params=params)
