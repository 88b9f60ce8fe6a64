"""Where each line of a stored file is: an index beside the file, read from disk as it is needed.

Layout, all numbers little-endian: an eight-byte magic number, the number of lines and of slots, the
offset and length of every line, a table of slots (the hash of an id, the number of its line from 1), then as
JSON all ids and the names of all categories, and the number of each id's category, each after its length.
"""

import mmap
import struct
import sys
from array import array
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

import orjson

from assay.domain.benchmark import ItemId
from assay.domain.errors import DataChangedError, UnknownNameError

_FORM = b"assayix2"
_HEAD = struct.Struct("<8sQQ")
_SPAN = struct.Struct("<QQ")
_HASH = struct.Struct("<Q")
_NUMBER = struct.Struct("<I")
_FIRST_SLOTS = 1 << 10
_FULL = 0.6


def _hash(item_id: str) -> int:
    return _HASH.unpack(blake2b(item_id.encode("utf-8", "surrogatepass"), digest_size=8).digest())[0]


class SeenIds:
    """Maps ids to line numbers in 20 bytes each: a dictionary would take ten times that."""

    def __init__(self) -> None:
        self.slots = _FIRST_SLOTS
        self.hashes = array("Q", bytes(8 * self.slots))
        self.lines = array("I", bytes(4 * self.slots))
        self._count = 0

    def add(self, item_id: str, line: int) -> int | None:
        """The line on which the id was seen before, or None."""
        hashed = _hash(item_id)
        slot = self._slot(hashed)
        if self.lines[slot]:
            return self.lines[slot]
        self.hashes[slot], self.lines[slot] = hashed, line
        self._count += 1
        if self._count > _FULL * self.slots:
            self._grow()
        return None

    def _slot(self, hashed: int) -> int:
        mask = self.slots - 1
        slot = hashed & mask
        while self.lines[slot] and self.hashes[slot] != hashed:
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        hashes, lines = self.hashes, self.lines
        self.slots *= 2
        self.hashes = array("Q", bytes(8 * self.slots))
        self.lines = array("I", bytes(4 * self.slots))
        for hashed, line in zip(hashes, lines, strict=True):
            if line:
                slot = self._slot(hashed)
                self.hashes[slot], self.lines[slot] = hashed, line


class IndexBuilder:
    """Collects the lines of a file in order; `seen` maps ids to line numbers, from 1."""

    def __init__(self) -> None:
        self.seen = SeenIds()
        self._count = 0
        self._spans = array("Q")
        self._ids = bytearray()
        self._categories: dict[str, int] = {}
        self._categories_bytes = 0
        self._category_of = array("I")

    @property
    def names_bytes(self) -> int:
        return len(self._ids) + self._categories_bytes

    def __len__(self) -> int:
        return self._count

    def add(self, item_id: str, *, offset: int, length: int, category: str | None = None) -> None:
        self._count += 1
        if category is not None and category not in self._categories:
            self._categories[category] = len(self._categories) + 1
            self._categories_bytes += len(category.encode("utf-8", "surrogatepass"))
        number = 0 if category is None else self._categories[category]
        self._category_of.append(number)
        self._spans.extend((offset, length))
        self._ids += (b"," if self._ids else b"[") + orjson.dumps(item_id)

    def skip(self) -> None:
        """Count a line without an item."""
        self._spans.extend((0, 0))

    def write(self, file: BinaryIO) -> None:
        file.write(_HEAD.pack(_FORM, len(self._spans) // 2, self.seen.slots))
        file.writelines(
            _little_endian(numbers) for numbers in (self._spans, self.seen.hashes, self.seen.lines)
        )
        file.writelines(
            _HASH.pack(len(part)) + part
            for part in (
                (bytes(self._ids) or b"[") + b"]",
                orjson.dumps(list(self._categories)),
                _little_endian(self._category_of) if self._categories else b"",
            )
        )


def _little_endian(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


class LineIndex:
    """Finds lines by id; reads only what is needed."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        form, self._count, self._slots = _HEAD.unpack_from(self._map)
        if form != _FORM:
            raise DataChangedError(f"{path} is not an index of this version; add the data set again")
        self._hashes_at = _HEAD.size + _SPAN.size * self._count
        self._lines_at = self._hashes_at + _HASH.size * self._slots
        self._ids_at = self._lines_at + _NUMBER.size * self._slots

    def ids(self) -> Sequence[ItemId]:
        found: list[ItemId] = orjson.loads(self._part(self._ids_at))
        return found

    def categories(self, ids: Sequence[ItemId]) -> Mapping[ItemId, str]:
        """The categories of the ids that have one."""
        names_at = self._after(self._ids_at)
        names: list[str] = orjson.loads(self._part(names_at))
        numbers = array("I", self._part(self._after(names_at)))
        if sys.byteorder == "big":
            numbers.byteswap()
        return {item_id: names[number - 1] for item_id, number in zip(ids, numbers, strict=False) if number}

    def _part(self, start: int) -> bytes:
        return self._map[start + _HASH.size : self._after(start)]

    def _after(self, start: int) -> int:
        (length,) = _HASH.unpack_from(self._map, start)
        return start + _HASH.size + int(length)

    def number(self, item_id: str) -> int:
        """The line number of an id, from 1; raises UnknownNameError."""
        hashed = _hash(item_id)
        mask = self._slots - 1
        slot = hashed & mask
        while line := _NUMBER.unpack_from(self._map, self._lines_at + _NUMBER.size * slot)[0]:
            if _HASH.unpack_from(self._map, self._hashes_at + _HASH.size * slot)[0] == hashed:
                return line
            slot = (slot + 1) & mask
        raise UnknownNameError("line", item_id)

    def span(self, number: int) -> tuple[int, int]:
        """Where the line begins in the file, and how many bytes it has."""
        offset, length = _SPAN.unpack_from(self._map, _HEAD.size + _SPAN.size * (number - 1))
        return offset, length
