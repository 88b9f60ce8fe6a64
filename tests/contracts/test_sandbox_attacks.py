"""Every known way out of the sandbox, tried against every backend, as root and as an ordinary user."""

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from assay.adapters.sandbox.local.groups import mounted_controllers
from tests.conftest import REPOSITORY, absent
from tests.contracts.sandbox_probes import NEIGHBOUR_PROBES, PROBES, ZYGOTE_PROBES

_SOMEBODY = 64321
_PARTS = ("domain", "engine", "adapters/sandbox")
_AFTERWARDS = ("survive all of it", "plant links among the artefacts")
# The programs see real folders without a quota there, and how far they get depends on the disk.
_WITHOUT_QUOTA = frozenset({"make 60,000 files", "fill /tmp", "fill /dev/shm", "fill the current folder"})
_OPEN_TO_ALL = frozenset(
    {
        "read a world-readable file of the host",
        "list the host's temporary folder",
        "write to a folder everybody may write to",
        "see other processes",
        "connect to the host's loopback",
        "connect to the host's address",
        "connect to an abstract socket",
        "connect to a socket in a folder",
        "make a user namespace",
        "clone into a user namespace",
        "gain rights by a setuid program",
    }
)


@dataclass(frozen=True)
class Place:
    """A backend under a user; `holes` are the ways out that it leaves open, `left_out` what is not tried."""

    mode: str
    as_root: bool
    has_group: bool
    holes: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    # Each probe as a command of its own, where the others are cases of one Python program.
    by_command: bool = False

    @property
    def wanted(self) -> list[str]:
        more = {} if self.by_command else NEIGHBOUR_PROBES
        zygote = ZYGOTE_PROBES if self.mode == "bubblewrap" and not self.by_command else {}
        return [name for name in {**PROBES, **more, **zygote} if name not in self.left_out]


_NOT_UNSAFE = (
    frozenset({**PROBES, **NEIGHBOUR_PROBES})
    - _OPEN_TO_ALL
    - {
        "read /etc/shadow",
        "be root",
        "use up processor time",
        "sleep for ever",
        "write without end",
        "leave a daemon behind",
        "set where the kernel sends core dumps",
    }
)
PLACES = {
    "bubblewrap as root": Place("bubblewrap", as_root=True, has_group=True),
    "bubblewrap as a user": Place("bubblewrap", as_root=False, has_group=False),
    "bubblewrap as a user with a control group": Place("bubblewrap", as_root=False, has_group=True),
    "bubblewrap as root by command": Place("bubblewrap", as_root=True, has_group=True, by_command=True),
    "bubblewrap as a user by command": Place("bubblewrap", as_root=False, has_group=False, by_command=True),
    "landlock as root": Place("landlock", as_root=True, has_group=True, left_out=_WITHOUT_QUOTA),
    "landlock as a user": Place("landlock", as_root=False, has_group=False, left_out=_WITHOUT_QUOTA),
    "nothing at all as root": Place(
        "unsafe", as_root=True, has_group=False, holes=_OPEN_TO_ALL, left_out=_NOT_UNSAFE
    ),
}
CASES = [(place, name) for place, one in PLACES.items() for name in (*one.wanted, *_AFTERWARDS)]


@cache
def _public_copy() -> Path:
    """The code of the sandbox where every user can read it, whoever owns the repository."""
    folder = Path(tempfile.mkdtemp(prefix="assay-sandbox-tests-", dir="/tmp"))  # a fresh folder
    source = REPOSITORY / "src" / "assay"
    for part in _PARTS:
        shutil.copytree(source / part, folder / "assay" / part, ignore=shutil.ignore_patterns("__pycache__"))
    for package in ("__init__.py", "adapters/__init__.py"):
        shutil.copy(source / package, folder / "assay" / package)
    for name in ("sandbox_driver.py", "sandbox_probes.py"):
        shutil.copy(REPOSITORY / "tests" / "contracts" / name, folder / name)
    subprocess.run(["chmod", "-R", "a+rX", str(folder)], check=True)
    return folder


def _public_python() -> str:
    found = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if found is None:
        absent("no python3 that every user can run; install it")
    return found


@contextlib.contextmanager
def _delegated() -> Generator[list[Path]]:
    """Control groups that belong to the ordinary user, as a service manager hands them out."""
    mounted = mounted_controllers(
        Path("/proc/self/mountinfo").read_text(), Path("/proc/self/cgroup").read_text()
    )
    wanted = [one for one in mounted if one.controllers & {"memory", "pids", "cpuacct"}]
    wanted = wanted or [one for one in mounted if one.is_unified]
    made: list[Path] = []
    try:
        for one in wanted:
            folder = one.own / f"assay-test-{secrets.token_hex(4)}"
            folder.mkdir()
            made.append(folder)
            for path in (
                folder,
                *(folder / name for name in ("cgroup.procs", "cgroup.subtree_control", "tasks")),
            ):
                if path.exists():
                    os.chown(path, _SOMEBODY, _SOMEBODY)
        yield made
    finally:
        for folder in made:
            for inner in (*folder.glob("assay-*"), folder):
                if inner.is_dir():
                    inner.rmdir()


@pytest.fixture(scope="module")
def outcomes() -> Generator[dict[str, Future[dict[str, dict[str, object]]]]]:
    """What comes of each probe, by place: two places at a time, for much of it is waiting."""
    if os.getuid() != 0:
        absent("probing as root and as another user needs root")
    if shutil.which("bwrap") is None:
        absent("no bwrap; install bubblewrap")
    _public_copy()
    _public_python()
    with ThreadPoolExecutor(2) as pool:
        yield {name: pool.submit(_outcome, place) for name, place in PLACES.items()}
    shutil.rmtree(_public_copy(), ignore_errors=True)


def _outcome(place: Place) -> dict[str, dict[str, object]]:
    command = [
        *(
            _public_python(),
            str(_public_copy() / "sandbox_driver.py"),
            place.mode,
            json.dumps(place.wanted),
        ),
        *(("by-command",) if place.by_command else ()),
    ]
    with contextlib.ExitStack() as closing:
        if not place.as_root:
            groups = closing.enter_context(_delegated()) if place.has_group else []
            enter = "".join(f"echo $$ > {folder}/cgroup.procs; " for folder in groups)
            user = f"exec setpriv --reuid {_SOMEBODY} --regid {_SOMEBODY} --clear-groups"
            command = ["sh", "-ec", f'{enter} {user} "$@"', "sh", *command]
        environment = {
            "PATH": os.defpath,
            "PROBE_SECRET": secrets.token_hex(16),
            "PYTHONPATH": str(_public_copy()),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120, check=False, cwd="/"
        )
    assert done.returncode == 0, done.stderr[-2000:]
    document = json.loads(done.stdout)
    assert "unavailable" not in document, document
    has_group = "memory" in document["confinement"]["enforced"]
    assert has_group == place.has_group, "the limits that a backend claims depend on its control group"
    return document["results"]


@pytest.mark.parametrize(("place", "probe"), CASES, ids=[f"{place}: {probe}" for place, probe in CASES])
def test_way_out(place: str, probe: str, outcomes: dict[str, Future[dict[str, dict[str, object]]]]) -> None:
    found = outcomes[place].result()[probe]
    assert found.get("spoke", True), found
    assert found["hole"] == (probe in PLACES[place].holes), found
