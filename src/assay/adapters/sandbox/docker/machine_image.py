"""A small image made of this machine's own programs: the base of demo tasks, which no registry serves."""

import io
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from assay.domain.errors import SandboxUnavailableError

DEMO_BASE = "assay-demo-base:1"
RELAY_BASE = "assay-relay:1"
_PYTHON = "python3"
_PROGRAMS = (
    *(
        "bash",
        "sh",
        "tmux",
        "git",
        "timeout",
        "sleep",
        "true",
        "false",
        "cat",
        "ls",
        "ln",
        "mkdir",
        "rm",
        "cp",
    ),
    *(
        "mv",
        "touch",
        "chmod",
        "find",
        "head",
        "tail",
        "grep",
        "sed",
        "sort",
        "tr",
        "wc",
        "cut",
        "env",
        "test",
    ),
    *("dd", "setsid", "mkfifo", "id", "date", "kill", "ps", "clear", "dirname", "basename", "tee", "uname"),
)
_REQUIRED = ("bash", "tmux", "git", "timeout", "sleep", _PYTHON)
_LEFT_OUT = frozenset(
    {"test", "__pycache__", "lib2to3", "idlelib", "distutils", "pydoc_data", "ensurepip", "tkinter"}
)
# Read by tmux, bash and git.
_DATA = ("/usr/lib/locale/C.utf8", "/usr/share/git-core/templates")
_TERMINALS = ("/lib/terminfo", "/usr/share/terminfo")
_TERMINAL_NAMES = ("s/screen", "s/screen-256color", "t/tmux", "t/tmux-256color", "x/xterm")
_EMPTY = ("proc", "dev", "sys", "root", "tmp", "var/tmp", "app", "logs")
_STICKY = frozenset({"tmp", "var/tmp"})
_FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}


def demo_base() -> bytes:
    """The image's files; raises SandboxUnavailableError if this machine lacks a program."""
    missing = [name for name in _REQUIRED if shutil.which(name) is None]
    if missing:
        raise SandboxUnavailableError(
            f"the demo tasks run in an image made of this machine's programs, and it has no"
            f" {', '.join(missing)}; install what is missing"
        )
    return machine_image(_PROGRAMS)


def relay_base() -> bytes:
    """Python and little else; raises SandboxUnavailableError if this machine has none of its own."""
    if shutil.which(_PYTHON, path="/usr/bin") is None:
        raise SandboxUnavailableError(
            "an agent reaches its model through a container made of this machine's Python, and there is no"
            " /usr/bin/python3; install python3 from the distribution's packages"
        )
    return machine_image(("sleep",))


def machine_image(programs: Sequence[str]) -> bytes:
    """An archive with Python, these programs if they are here, and the libraries that they need."""
    python = Path("/usr/bin/python3").resolve()
    library = Path("/usr/lib") / python.name
    found = [path for name in programs if (path := _located(name)) is not None]
    extensions = list((library / "lib-dynload").glob("_*.so"))
    binaries = [python, *(path.resolve() for path in found)]
    libraries = sorted({one for binary in [*binaries, *extensions] for one in _libraries(binary)})
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        _add_folders(archive)
        for path in {*binaries, *found}:
            archive.add(path.resolve(), arcname=f"usr/bin/{path.name}")
        for path in libraries:
            archive.add(path.resolve(), arcname=_merged(path))
        for name in ("python3", "python"):
            _add_link(archive, f"usr/bin/{name}", python.name)
        archive.add(library, arcname=_merged(library), filter=_wanted)
        for path in [*map(Path, _DATA), *_terminals()]:
            if path.exists():
                archive.add(path, arcname=_merged(path))
    return buffer.getvalue()


def _add_folders(archive: tarfile.TarFile) -> None:
    """With /bin and /lib as links, as on the machines that the programs come from."""
    for name in ("usr", "usr/bin", "usr/lib", "usr/lib64", "etc", "var", *_EMPTY):
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if name in _STICKY else 0o755
        archive.addfile(entry)
    for name in ("bin", "lib", "lib64"):
        _add_link(archive, name, f"usr/{name}")
    for name, content in _FILES.items():
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content.encode()))


def _add_link(archive: tarfile.TarFile, name: str, target: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    archive.addfile(entry)


def _located(name: str) -> Path | None:
    """Below /usr/bin or /bin only: programs from elsewhere bring a whole tree with them."""
    found = shutil.which(name, path="/usr/bin:/bin")
    return None if found is None else Path(found)


def _terminals() -> list[Path]:
    return [Path(folder) / name for folder in _TERMINALS for name in _TERMINAL_NAMES]


def _merged(path: Path) -> str:
    """The path below /usr, where /bin, /lib and /lib64 lead."""
    name = str(path).lstrip("/")
    return name if name.startswith("usr/") else f"usr/{name}"


def _libraries(program: Path) -> list[Path]:
    told = subprocess.run(  # noqa: S603 # a program of this machine
        ["/usr/bin/ldd", str(program)], capture_output=True, text=True, check=False
    )
    return [Path(word) for word in told.stdout.split() if word.startswith("/")]


def _wanted(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    name = Path(entry.name).name
    return None if name in _LEFT_OUT or name.startswith("config-") else entry
