"""What comes out of a container was written by a stranger."""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.sandbox.archives import packed, unpacked
from assay.domain.errors import SandboxError

NAMES = st.lists(st.sampled_from(["a", "b", "c.txt"]), min_size=1, max_size=3).map("/".join)


def collected(archive: bytes, *patterns: str, max_files: int = 10, max_bytes: int = 1000) -> dict[str, bytes]:
    return unpacked(archive, patterns, max_files=max_files, max_bytes=max_bytes)


def below(top: str, files: dict[str, bytes]) -> bytes:
    return packed({f"{top}/{name}": content for name, content in files.items()}, owner=7)


@given(st.dictionaries(NAMES, st.binary(max_size=20), max_size=4))
def test_files_come_back_as_they_were(files: dict[str, bytes]) -> None:
    clashing = any(other.startswith(f"{name}/") for name in files for other in files)
    if not clashing:
        assert collected(below("workspace", files), "**") == files


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.txt", {"a.txt"}),
        ("**/*.txt", {"a.txt", "d/b.txt", "d/e/c.txt"}),
        ("d/*", {"d/b.txt"}),
        ("d/**", {"d/b.txt", "d/e/c.txt"}),
        ("a.txt", {"a.txt"}),
        ("nothing", set[str]()),
    ],
)
def test_patterns_are_those_of_pathlib(pattern: str, names: set[str]) -> None:
    archive = below("workspace", {"a.txt": b"", "d/b.txt": b"", "d/e/c.txt": b""})
    assert collected(archive, pattern).keys() == names


@pytest.mark.parametrize("name", ["/etc/passwd", "../out", "a/../../out", ""])
def test_no_file_is_put_outside_the_workspace(name: str) -> None:
    with pytest.raises(SandboxError, match="inside the workspace"):
        packed({name: b""}, owner=1)


def test_links_special_files_and_ways_out_are_left_behind() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
        for number, kind in enumerate(kinds):
            entry = tarfile.TarInfo(f"workspace/{number}")
            entry.type, entry.linkname = kind, "/etc/shadow"
            archive.addfile(entry)
        for name in ("workspace/../../etc/x", "workspace", "workspace/kept"):
            entry = tarfile.TarInfo(name)
            entry.size = 2
            archive.addfile(entry, io.BytesIO(b"ok"))
    assert collected(buffer.getvalue(), "**") == {"kept": b"ok"}


def test_what_exceeds_the_caps_or_was_cut_is_left_out() -> None:
    """A program that fills its workspace must not be able to make its own grading fail."""
    archive = below("workspace", {"a": b"12345", "b": b"12345", "c": b"123"})
    assert collected(archive, "**", max_files=1).keys() == {"a"}
    assert collected(archive, "**", max_bytes=9).keys() == {"a", "c"}
    for length in range(0, len(archive), 100):
        assert (
            collected(archive[:length], "**").items() <= {"a": b"12345", "b": b"12345", "c": b"123"}.items()
        )


def test_a_file_with_two_names_is_left_behind() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo("workspace/first")
        entry.size = 2
        archive.addfile(entry, io.BytesIO(b"ok"))
        twin = tarfile.TarInfo("workspace/twin")
        twin.type, twin.linkname = tarfile.LNKTYPE, "workspace/first"
        archive.addfile(twin)
    assert collected(buffer.getvalue(), "**") == {}
