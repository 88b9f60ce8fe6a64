"""Files go in and come out of a workspace that somebody else has filled with traps."""

import os
from pathlib import Path

import pytest

from assay.adapters.sandbox.local.workspace import BadPathError, Owner, collected, put

ME = Owner(os.getuid(), os.getgid())


def everything(root: Path, *, max_files: int = 100, max_bytes: int = 1000) -> dict[str, bytes]:
    return collected(root, ["**"], max_files=max_files, max_bytes=max_bytes)


def test_there_and_back(tmp_path: Path) -> None:
    files = {"a": b"1", "b/c/d": b"2"}
    put(tmp_path, files, ME)
    put(tmp_path, {"a": b"3"}, ME)
    assert everything(tmp_path) == {"a": b"3", "b/c/d": b"2"}
    assert collected(tmp_path, ["b/**"], max_files=9, max_bytes=9) == {"b/c/d": b"2"}


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", ".", "a\0b", "/".join("a" * 40)])
def test_paths_out_of_the_workspace(tmp_path: Path, path: str) -> None:
    with pytest.raises(BadPathError):
        put(tmp_path, {path: b""}, ME)


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (inside / "folder").symlink_to(outside)
    (inside / "file").symlink_to(outside / "secret")
    (inside / "twin").hardlink_to(outside / "secret")
    os.mkfifo(inside / "pipe")
    assert everything(inside) == {}
    with pytest.raises(BadPathError):
        put(inside, {"folder/new": b"x"}, ME)
    put(inside, {"file": b"x", "twin": b"y"}, ME)
    assert (outside / "secret").read_bytes() == b"secret"
    assert not (outside / "new").exists()


def test_what_exceeds_the_caps_is_left_out(tmp_path: Path) -> None:
    put(tmp_path, {"a": b"x" * 60, "b": b"x" * 60, "c": b"x" * 30}, ME)
    assert list(everything(tmp_path, max_bytes=100)) == ["a", "c"]
    assert list(everything(tmp_path, max_files=1)) == ["a"]
