"""What a release publishes: files that can be built again, a bill of materials, signed checksums, notes."""

import json
import os
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from scripts.release.build import release
from scripts.release.changelog import cut, notes
from scripts.release.fault import ReleaseError
from scripts.release.sbom import sbom
from tests.conftest import REPOSITORY, absent
from tests.exports import SIGNER

CHANGELOG = (
    "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.9.0 - 2026-01-02\n\n- An old one.\n"
)
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "assay-benchmarks"
dynamic = ["version"]
requires-python = ">=3.11"
[tool.hatch.version]
source = "code"
path = "src/assay/source_version.py"
expression = "build_version()"
[tool.hatch.build.targets.wheel]
packages = ["src/assay"]
"""
COPIED = (
    ".gitattributes",
    "src/assay/source_version.py",
    "requirements/assay.txt",
    "ui/package-lock.json",
)


def git(tree: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(tree), *identity, *arguments], capture_output=True, check=True)


def commit(tree: Path, message: str) -> None:
    git(tree, "add", ".")
    git(tree, "commit", "--quiet", "--message", message)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small project with the version, the locks and the changelog of this one."""
    tree = tmp_path / "tree"
    for name in COPIED:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tree / name)
    (tree / "src/assay/__init__.py").touch()
    (tree / "pyproject.toml").write_text(PROJECT)
    (tree / "CHANGELOG.md").write_text(cut(CHANGELOG, "1.0.0", "2026-11-19"))
    git(tree, "init", "--quiet")
    commit(tree, "Release 1.0.0")
    git(tree, "tag", "v1.0.0")
    return tree


def run(tree: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scripts.release", "--tree", str(tree), *arguments]
    kept = {name: value for name, value in os.environ.items() if name != "BENCH_SIGNING_PRIVATE_KEY"}
    return subprocess.run(
        command, cwd=REPOSITORY, env=kept | environment, capture_output=True, text=True, check=False
    )


def test_a_release_is_checked_with_openssl_and_coreutils_alone(tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    key = b64encode(bytes(range(32))).decode()
    done = run(tree, "build", "--out", str(out), BENCH_SIGNING_PRIVATE_KEY=key, ASSAY_BUILD_VERSION="7")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in out.iterdir()} == {
        "SHA256SUMS",
        "SHA256SUMS.sig",
        "release-key.pem",
        "assay_benchmarks-1.0.0-notes.md",
        "assay_benchmarks-1.0.0-py3-none-any.whl",
        "assay_benchmarks-1.0.0-requirements.txt",
        "assay_benchmarks-1.0.0.cdx.json",
        "assay_benchmarks-1.0.0.tar.gz",
    }
    page = (REPOSITORY / "docs/how-to/install.md").read_text(encoding="utf-8")
    signature, sums = (
        re.search(rf"^\$ ({start} .*)$", page, re.MULTILINE) for start in ("openssl", "sha256sum")
    )
    assert signature
    assert sums
    if shutil.which("openssl") is None:
        absent("no openssl")
    for command in (signature[1], sums[1]):
        subprocess.run(command, cwd=out, shell=True, check=True, capture_output=True)  # noqa: S602 # our own page
    with (out / "SHA256SUMS").open("a") as file:
        file.write("0" * 64 + "  another.whl\n")
    assert subprocess.run(signature[1], cwd=out, shell=True, check=False, capture_output=True).returncode  # noqa: S602
    wheel = out / "assay_benchmarks-1.0.0-py3-none-any.whl"
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    assert subprocess.run(sums[1], cwd=out, shell=True, check=False, capture_output=True).returncode  # noqa: S602


def test_a_build_that_differs_from_another_is_not_released(tree: Path, tmp_path: Path) -> None:
    (tree / "hatch_build.py").write_text(
        "import pathlib, uuid\n"
        "from hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
        "class Hook(BuildHookInterface):\n"
        "    def initialize(self, version, build_data):\n"
        "        pathlib.Path(self.root, 'src/assay/drawn.py').write_text(str(uuid.uuid4()))\n"
    )
    (tree / "pyproject.toml").write_text(PROJECT + "[tool.hatch.build.targets.wheel.hooks.custom]\n")
    commit(tree, "Draw")
    git(tree, "tag", "--force", "v1.0.0")
    with pytest.raises(ReleaseError, match=r"built twice, \S+\.whl had other bytes"):
        release(tree, tmp_path / "out", SIGNER)


def test_only_a_tagged_commit_without_changes_is_released(tree: Path, tmp_path: Path) -> None:
    (tree / "new.txt").write_text("x")
    with pytest.raises(ReleaseError, match="not committed"):
        release(tree, tmp_path / "out", SIGNER)
    commit(tree, "More")
    with pytest.raises(ReleaseError, match="no tag such as"):
        release(tree, tmp_path / "out", SIGNER)
    git(tree, "tag", "v1.1.0")
    with pytest.raises(ReleaseError, match=r"no section '1\.1\.0'"):
        release(tree, tmp_path / "out", SIGNER)


def test_a_release_needs_the_key(tree: Path) -> None:
    done = run(tree, "build")
    assert (done.returncode, done.stderr) == (
        1,
        "error: set BENCH_SIGNING_PRIVATE_KEY to the key that signs releases\n",
    )


def test_what_is_unreleased_becomes_a_version(tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text(CHANGELOG)
    assert run(tree, "notes", "1.0.0").returncode == 0
    written = (tree / "CHANGELOG.md").read_text()
    assert notes(written, "1.0.0") == "### Added\n\n- A thing.\n"
    assert notes(written, "0.9.0") == "- An old one.\n"
    assert re.search(r"^## Unreleased\n\n## 1\.0\.0 - \d{4}-\d\d-\d\d\n", written, re.MULTILINE)
    again = run(tree, "notes", "1.0.0")
    assert (again.returncode, again.stderr) == (1, "error: CHANGELOG.md has a section '1.0.0' already\n")


@pytest.mark.parametrize("version", ["v1.0.0", "1.0", "0.9.0", "1.0.0-rc1"])
def test_a_version_that_cannot_be_the_next_is_refused(version: str) -> None:
    with pytest.raises(ReleaseError):
        cut(CHANGELOG, version, "2026-11-19")


def test_there_is_something_to_release() -> None:
    with pytest.raises(ReleaseError, match="is empty"):
        cut("# Changelog\n\n## Unreleased\n", "1.0.0", "2026-11-19")


def test_the_changelog_of_the_project_can_be_cut() -> None:
    text = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = notes(text, "Unreleased")
    assert notes(cut(text, "99.0.0", "2026-11-19"), "99.0.0") == unreleased


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    return sbom(REPOSITORY, "assay-benchmarks", "1.0.0", 1_700_000_000)


def test_the_bill_of_materials_lists_what_is_locked(bill: dict[str, Any]) -> None:
    lines = (REPOSITORY / "requirements/assay.txt").read_text(encoding="utf-8").splitlines()
    locked = {line.split(" ")[0].replace("==", "@") for line in lines if line and not line.startswith(" ")}
    packages = json.loads((REPOSITORY / "ui/package-lock.json").read_bytes())["packages"]
    direct = packages[""]["dependencies"].items()
    purls = {one["purl"] for one in bill["components"]}
    assert {purl.removeprefix("pkg:pypi/") for purl in purls if "pkg:pypi/" in purl} == locked
    assert {f"pkg:npm/{name.replace('@', '%40')}@{version}" for name, version in direct} <= purls
    assert len(purls) == len(bill["components"])
    assert not [purl for purl in purls if "vite" in purl or "typescript@" in purl], "tools are not shipped"


def test_every_component_has_a_licence(bill: dict[str, Any]) -> None:
    # A package for Python in a browser, which the lock names for all platforms.
    elsewhere = {"httpx2-jsfetch"}
    assert {one["name"] for one in bill["components"] if "licenses" not in one} <= elsewhere
    assert all(
        one.get("expression") or one["license"]["name"]
        for part in bill["components"]
        for one in part.get("licenses", ())
    )


def test_the_same_commit_has_the_same_bill(bill: dict[str, Any]) -> None:
    assert sbom(REPOSITORY, "assay-benchmarks", "1.0.0", 1_700_000_000) == bill
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"
