"""Tests of all problems, kept compressed: unpacked, they exceed the memory of many machines."""

import tempfile
import weakref
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock

from assay.benchmarks.livecodebench.private_tests import unpacked
from assay.benchmarks.livecodebench.rows import Problem, Test, read_tests
from assay.domain.errors import DataError, GraderError

_MAX_IN_MEMORY_BYTES = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class _Location:
    public: tuple[int, int]
    private: tuple[int, int]
    is_packed: bool


class PackedTests:
    """Tests by checksum; beyond some MB they are kept in an unnamed temporary file."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_MAX_IN_MEMORY_BYTES)  # noqa: SIM115 # as long as the items
        weakref.finalize(self, self._file.close)
        self._locations: dict[str, _Location] = {}
        self._lock = Lock()

    def keep(self, problem: Problem) -> str:
        """Keep a problem's tests; returns their checksum, which is part of the item's identity."""
        public = problem.public_tests.encode("utf-8", "surrogatepass")
        private = problem.private_tests
        is_packed = isinstance(private, bytes)
        data = private if isinstance(private, bytes) else private.encode("utf-8", "surrogatepass")
        checksum = sha256(public + b"\0" + data).hexdigest()
        with self._lock:
            if checksum not in self._locations:
                self._locations[checksum] = _Location(self._add(public), self._add(data), is_packed)
        return checksum

    def of(self, item_id: str, checksum: str) -> list[Test]:
        """A problem's public and hidden tests, in that order; raises DataError if they cannot be used."""
        with self._lock:
            place = self._locations.get(checksum)
            if place is None:
                raise GraderError(f"the tests of item {item_id!r} were not loaded in this process")
            public, private = self._read(place.public), self._read(place.private)
        try:
            hidden = unpacked(private) if place.is_packed else _text(private)
            return read_tests(_text(public)) + read_tests(hidden)
        except ValueError as error:
            raise DataError(f"the tests of item {item_id!r} cannot be used: {error}") from error

    def _add(self, data: bytes) -> tuple[int, int]:
        offset = self._file.seek(0, 2)
        self._file.write(data)
        return offset, len(data)

    def _read(self, place: tuple[int, int]) -> bytes:
        offset, length = place
        self._file.seek(offset)
        return self._file.read(length)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
