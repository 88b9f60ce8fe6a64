"""A Docker engine of the tests' own: its folder, its socket, and an image made from this machine's Python."""

import asyncio
import contextlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.domain.errors import SandboxError

IMAGE = "assay-test:1"
_PYTHON = Path("/usr/bin/python3")
_PROGRAMS = (
    *("/bin/sh", "/bin/sleep", "/bin/true", "/bin/cat", "/bin/ln", "/bin/mkdir", "/usr/bin/find"),
    *("/usr/bin/head", "/usr/bin/mkfifo", "/usr/bin/setsid"),
)
_LEFT_OUT = frozenset(
    {"test", "__pycache__", "lib2to3", "idlelib", "distutils", "pydoc_data", "ensurepip", "tkinter"}
)
_EMPTY = ("/proc", "/dev", "/sys", "/etc", "/tmp")  # noqa: S108 # of the image
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
        "--storage-driver=vfs",
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
        await api.send("POST", "/images/create", _root_file_system(), params=params)


def _root_file_system() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        real = _PYTHON.resolve()
        library = Path("/usr/lib") / real.name
        programs = [real, *map(Path, _PROGRAMS)]
        extensions = list((library / "lib-dynload").glob("_*.so"))
        libraries = {one for program in [*programs, *extensions] for one in _libraries(program)}
        files = sorted({*programs, *libraries})
        folders = {str(one) for path in [*files, library] for one in path.parents}
        for folder in sorted(folders.union(_EMPTY)):
            entry = tarfile.TarInfo(folder.lstrip("/") or ".")
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if folder == _EMPTY[-1] else 0o755
            archive.addfile(entry)
        for path in files:
            archive.add(path.resolve(), arcname=str(path))
        link = tarfile.TarInfo(str(_PYTHON).lstrip("/"))
        link.type, link.linkname = tarfile.SYMTYPE, real.name
        archive.addfile(link)
        archive.add(library, filter=_wanted)
    return buffer.getvalue()


def _libraries(program: Path) -> list[Path]:
    told = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    return [Path(word) for word in told.stdout.split() if word.startswith("/")]


def _wanted(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    name = Path(entry.name).name
    return None if name in _LEFT_OUT or name.startswith("config-") else entry
