"""Copies on this machine: of the right content, fetched once, within their room."""

import os
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import pytest

from assay.adapters.objects.copies import LocalCopies
from assay.domain.errors import ObjectStoreError


class Source:
    """Gives content, and counts how often."""

    def __init__(self, content: bytes | None) -> None:
        self.content = content
        self.fetched = 0

    def __call__(self, file: BinaryIO) -> bool:
        self.fetched += 1
        if self.content is None:
            return False
        file.write(self.content)
        return True


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def test_a_copy_is_fetched_once_and_found_by_later_processes(tmp_path: Path) -> None:
    source = Source(b"lines")
    copies = LocalCopies(tmp_path, most_bytes=100)
    path = copies.get("a", digest(b"lines"), source)
    assert path is not None
    assert path.read_bytes() == b"lines"
    assert copies.get("a", digest(b"lines"), source) == path
    assert LocalCopies(tmp_path, most_bytes=100).get("a", digest(b"lines"), source) == path
    assert source.fetched == 1


def test_what_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    assert LocalCopies(tmp_path, most_bytes=100).get("a", digest(b"x"), Source(None)) is None
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_other_content_is_refused_and_not_kept(tmp_path: Path) -> None:
    copies = LocalCopies(tmp_path, most_bytes=100)
    with pytest.raises(ObjectStoreError, match="'a' in the object store is not what was stored there"):
        copies.get("a", digest(b"lines"), Source(b"changed"))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("is_same_process", [True, False])
def test_a_copy_that_was_changed_on_the_disk_is_fetched_again(
    tmp_path: Path, *, is_same_process: bool
) -> None:
    copies, source = LocalCopies(tmp_path, most_bytes=100), Source(b"lines")
    path = copies.get("a", digest(b"lines"), source)
    assert path is not None
    path.write_bytes(b"LINES")
    os.utime(path, ns=(1, 1))
    reader = copies if is_same_process else LocalCopies(tmp_path, most_bytes=100)
    again = reader.get("a", digest(b"lines"), source)
    assert again is not None
    assert (again.read_bytes(), source.fetched) == (b"lines", 2)


def test_the_least_used_make_room_and_the_last_one_always_fits(tmp_path: Path) -> None:
    copies = LocalCopies(tmp_path, most_bytes=25)
    contents = [bytes([number]) * 10 for number in range(3)]
    first, second = (copies.get("x", digest(one), Source(one)) for one in contents[:2])
    assert first is not None
    assert second is not None
    os.utime(first, ns=(1, first.stat().st_mtime_ns))
    copies.get("x", digest(contents[0]), Source(contents[0]))
    os.utime(second, ns=(2, second.stat().st_mtime_ns))
    third = copies.get("x", digest(contents[2]), Source(contents[2]))
    assert third is not None
    assert (first.exists(), second.exists(), third.exists()) == (True, False, True)
    large = copies.get("y", digest(b"l" * 90), Source(b"l" * 90))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [large]
    again = Source(contents[0])
    assert copies.get("x", digest(contents[0]), again) is not None
    assert again.fetched == 1
