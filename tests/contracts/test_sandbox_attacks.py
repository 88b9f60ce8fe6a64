"""Every known way out of the sandbox, tried against every backend, as root and as an ordinary user."""

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from assay.adapters.sandbox.local.groups import mounted_controllers
from tests.conftest import REPOSITORY, absent
from tests.contracts.sandbox_holes import HOLES, LEFT_OUT
from tests.contracts.sandbox_probes import LOOKING, NEIGHBOUR_PROBES, PROBES, ZYGOTE_PROBES
from tests.docker_engine import missing, running_engine
from tests.integration.sandy_server import KEY, running_service

_SOMEBODY = 64321
_PARTS = ("domain", "engine", "adapters/sandbox")
_AFTERWARDS = ("survive all of it", "plant links among the artefacts")


@dataclass(frozen=True)
class Place:
    """A backend under a user; what it leaves open is in `sandbox_holes`."""

    backend: str
    as_root: bool = True
    # Whether a control group counts memory and processor time of all processes together.
    has_group: bool = True
    # Each probe as a command of its own, where the others are cases of one Python program.
    by_command: bool = False

    @property
    def wanted(self) -> list[str]:
        left_out = LEFT_OUT.get(self.backend, frozenset())
        if self.by_command and self.is_foreign:
            return [name for name in PROBES if name in LOOKING]
        more = {} if self.by_command else NEIGHBOUR_PROBES
        zygote = ZYGOTE_PROBES if self.backend == "bubblewrap" and not self.by_command else {}
        return [name for name in {**PROBES, **more, **zygote} if name not in left_out]

    @property
    def is_foreign(self) -> bool:
        return self.backend in ("docker", "sandy")


PLACES = {
    "docker": Place("docker"),
    "docker by command": Place("docker", by_command=True),
    "sandy": Place("sandy", has_group=False),
    "bubblewrap as root": Place("bubblewrap"),
    "bubblewrap as a user": Place("bubblewrap", as_root=False, has_group=False),
    "bubblewrap as a user with a control group": Place("bubblewrap", as_root=False),
    "bubblewrap as root by command": Place("bubblewrap", by_command=True),
    "bubblewrap as a user by command": Place("bubblewrap", as_root=False, has_group=False, by_command=True),
    "landlock as root": Place("landlock"),
    "landlock as a user": Place("landlock", as_root=False, has_group=False),
    "nothing at all as root": Place("unsafe", has_group=False),
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


@contextlib.contextmanager
def _reached() -> Generator[dict[str, dict[str, str]]]:
    """What the driver needs to find an engine, where one can be started, and a service of the tests' own."""
    with contextlib.ExitStack() as closing:
        options = {"sandy": {"base_url": closing.enter_context(running_service()), "key": KEY}}
        if missing() is None:
            engine = closing.enter_context(running_engine())
            options["docker"] = {"socket_path": engine.socket_path, "image": engine.image}
        yield options


@pytest.fixture(scope="module")
def outcomes() -> Generator[dict[str, Future[dict[str, dict[str, object]]]]]:
    """What comes of each probe, by place: three places at a time, for much of it is waiting."""
    if os.getuid() != 0:
        absent("probing as root and as another user needs root")
    if shutil.which("bwrap") is None:
        absent("no bwrap; install bubblewrap")
    _public_copy()
    _public_python()
    with _reached() as options, ThreadPoolExecutor(3) as pool:
        yield {
            name: pool.submit(_outcome, place, options.get(place.backend, {}))
            for name, place in PLACES.items()
            if place.backend in options or not place.is_foreign
        }
    shutil.rmtree(_public_copy(), ignore_errors=True)


def _command(place: Place, options: dict[str, str]) -> list[str]:
    python = sys.executable if place.is_foreign else _public_python()
    mode = ("by-command",) if place.by_command else ()
    driver = str(_public_copy() / "sandbox_driver.py")
    return [python, driver, place.backend, json.dumps(options), json.dumps(place.wanted), *mode]


def _outcome(place: Place, options: dict[str, str]) -> dict[str, dict[str, object]]:
    command = _command(place, options)
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
            command, env=environment, capture_output=True, text=True, timeout=400, check=False, cwd="/"
        )
    assert done.returncode == 0, done.stderr[-2000:]
    document = json.loads(done.stdout)
    assert "unavailable" not in document, document
    has_group = "memory" in document["confinement"]["enforced"]
    assert has_group == place.has_group, "the limits that a backend claims depend on its control group"
    return document["results"]


@pytest.mark.parametrize(("place", "probe"), CASES, ids=[f"{place}: {probe}" for place, probe in CASES])
def test_way_out(place: str, probe: str, outcomes: dict[str, Future[dict[str, dict[str, object]]]]) -> None:
    if place not in outcomes:
        absent(missing() or "")
    found = outcomes[place].result()[probe]
    assert found.get("spoke", True), found
    assert found["hole"] == (probe in HOLES[PLACES[place].backend]), found


def test_what_is_left_open_is_told_to_the_reader() -> None:
    page = (REPOSITORY / "docs" / "explanation" / "sandbox.md").read_text(encoding="utf-8")
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| ")}
    columns = [name.strip(" `") for name in rows["way out"].split("|")[2:-1]]
    for probe in PROBES:
        told = dict(zip(columns, (cell.strip() for cell in rows[probe].split("|")[2:-1]), strict=True))
        for backend in HOLES:
            is_open = probe in HOLES[backend] | LEFT_OUT.get(backend, frozenset())
            assert told[backend] == ("open" if is_open else "stopped"), (probe, backend)
