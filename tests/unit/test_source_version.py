"""The version of a checkout, of an archive of it, and of a folder without history."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.source_version import UNKNOWN, VARIABLE, archived_version, version_of
from tests.conftest import REPOSITORY

FILE = "src/assay/source_version.py"


@pytest.mark.parametrize(
    ("described", "version"),
    [
        ("v1.2.0-0-g1c64579", "1.2.0"),
        ("v1.2.0", "1.2.0"),
        ("v1.2.9-5-g1c64579", "1.2.10.dev5+g1c64579"),
        ("v1.2.0-0-g1c64579-dirty", "1.2.1.dev0+g1c64579.dirty"),
        ("v2.0.0rc1-3-g1c64579-dirty", "2.0.0rc2.dev3+g1c64579.dirty"),
        ("1c64579", "0+g1c64579"),
        ("1c64579-dirty", "0+g1c64579.dirty"),
        ("v1-beta-0-g1c64579", None),
        ("release", None),
    ],
)
def test_a_version_says_how_far_from_a_tag_it_is(described: str, version: str | None) -> None:
    assert version_of(described) == version


@pytest.mark.parametrize(
    ("tag", "commit", "version"),
    [
        ("v1.2.0", "1c64579", "1.2.0"),
        ("v1.2.0-5-g1c64579", "1c64579", "1.2.1.dev5+g1c64579"),
        ("", "1c64579", "0+g1c64579"),
        ("$Format:…$", "1c64579", "0+g1c64579"),
        ("$Format:…$", "$Format:…$", None),
    ],
)
def test_an_archive_keeps_its_version(tag: str, commit: str, version: str | None) -> None:
    assert archived_version(tag, commit) == version


def git(tree: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(tree), *identity, *arguments], capture_output=True, check=True)


def version_in(tree: Path, monkeypatch: pytest.MonkeyPatch, given: str = "") -> str:
    """As the build asks for it: the file alone, in a process of its own."""
    monkeypatch.setenv(VARIABLE, given)
    program = "import runpy, sys; print(runpy.run_path(sys.argv[1])['build_version']())"
    command = [sys.executable, "-c", program, str(tree / FILE)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    tree = tmp_path / "checkout"
    (tree / FILE).parent.mkdir(parents=True)
    for name in (FILE, ".gitattributes"):
        shutil.copy(REPOSITORY / name, tree / name)
    git(tree, "init", "--quiet")
    git(tree, "add", ".")
    git(tree, "commit", "--quiet", "--message", "First")
    return tree


def test_the_version_of_a_checkout_follows_its_tags(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert version_in(checkout, monkeypatch).startswith("0+g")
    git(checkout, "tag", "v1.2.0")
    assert version_in(checkout, monkeypatch) == "1.2.0"
    (checkout / ".gitattributes").write_text("\n")
    assert version_in(checkout, monkeypatch).startswith("1.2.1.dev0+g")
    assert version_in(checkout, monkeypatch).endswith(".dirty")
    git(checkout, "commit", "--quiet", "--all", "--message", "Second")
    assert version_in(checkout, monkeypatch).startswith("1.2.1.dev1+g")
    assert version_in(checkout, monkeypatch, "7.0") == "7.0"


def test_an_archive_of_a_tag_has_its_version_without_git(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(checkout, "tag", "v1.2.0")
    git(checkout, "archive", "--output", "../archive.tar", "HEAD")
    unpacked = checkout.parent / "unpacked"
    unpacked.mkdir()
    subprocess.run(["tar", "-xf", "archive.tar", "-C", "unpacked"], cwd=checkout.parent, check=True)
    assert version_in(unpacked, monkeypatch) == "1.2.0"


def test_a_folder_in_the_checkout_of_another_project_has_none_of_its_tags(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(checkout, "tag", "v9.0.0")
    inner = checkout / "inner"
    (inner / FILE).parent.mkdir(parents=True)
    shutil.copy(REPOSITORY / FILE, inner / FILE)
    assert version_in(inner, monkeypatch) == UNKNOWN
