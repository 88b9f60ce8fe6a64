"""Contents of users' data sets in a folder, each stored once under its hash."""

import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import orjson

from assay.adapters.datasets.field_mapping import mapped_lines
from assay.adapters.datasets.line_check import LineCheck
from assay.adapters.datasets.line_index import IndexBuilder, LineIndex
from assay.adapters.datasets.shared_files import SharedFiles
from assay.domain.benchmark import ItemId
from assay.domain.dataset_report import Grading, Report
from assay.domain.datasets.dataset import Line
from assay.domain.errors import DataMissingError, StoreError
from assay.engine.datasets.files import FaultOf, FieldNames
from assay.engine.datasets.lines import LinePlace, parsed_line
from assay.engine.objects import ObjectStore, opened_copy

# No upload takes this long: older files were left by a process that was killed.
_LEFT_BEHIND_S = 24 * 3600
_PIECE_BYTES = 1024 * 1024


class FolderDatasetFiles:
    """With an object store, uploads go there, and are read from copies on this machine."""

    def __init__(self, folder: Path, objects: ObjectStore | None = None) -> None:
        self._folder = folder
        self._shared = None if objects is None else SharedFiles(objects)

    def new(self) -> "FolderIncomingFile":
        incoming = self._folder / "incoming"
        try:
            incoming.mkdir(parents=True, exist_ok=True)
            _remove_leftovers(incoming)
            return FolderIncomingFile(self._folder, incoming, self._shared)
        except OSError as error:
            raise _unwritable(self._folder, error) from error

    def open(self, sha256: str) -> "FileLines":
        return opened_copy(lambda: FileLines(*self._found(sha256)))

    def content(self, sha256: str) -> Iterator[bytes]:
        return _pieces(opened_copy(lambda: self._found(sha256)[0].open("rb")))

    def _found(self, sha256: str) -> tuple[Path, Path]:
        content, index = _paths(self._folder, sha256)
        is_here = content.is_file() and index.is_file()
        if self._shared is not None:
            if is_here and not self._shared.holds(sha256):
                # It was added before there was an object store.
                self._shared.put(sha256, content, index)
            found = (content, index) if is_here else self._shared.copies(sha256)
            if found is None:
                raise DataMissingError(
                    f"the content of this data set (sha256 {sha256[:12]}…) is not in the object store:"
                    " add it again"
                )
            return found
        if not is_here:
            raise DataMissingError(
                f"the content of this data set (sha256 {sha256[:12]}…) is not in {str(self._folder)!r}:"
                " add it again, or give the machines an object store (ASSAY_OBJECT_STORE)"
            )
        return content, index

    def remove(self, sha256: str) -> None:
        if self._shared is not None:
            self._shared.remove(sha256)
        for path in _paths(self._folder, sha256):
            path.unlink(missing_ok=True)


class FolderIncomingFile:
    """Written in the same folder tree, so that a rename moves it into place."""

    def __init__(self, folder: Path, incoming: Path, shared: SharedFiles | None = None) -> None:
        self._folder = folder
        self._shared = shared
        descriptor, name = tempfile.mkstemp(dir=incoming)
        self._file = os.fdopen(descriptor, "w+b")
        self._content = Path(name)
        self._index = self._content.with_suffix(".index")
        self._digest = sha256()
        self._size = 0

    def write(self, data: bytes) -> None:
        self._digest.update(data)
        self._size += len(data)
        try:
            self._file.write(data)
        except OSError as error:
            raise _unwritable(self._folder, error) from error

    def map_fields(self, names: FieldNames, *, is_csv: bool) -> None:
        try:
            self._map_fields(names, is_csv=is_csv)
        except OSError as error:
            raise _unwritable(self._folder, error) from error

    def _map_fields(self, names: FieldNames, *, is_csv: bool) -> None:
        self._file.seek(0)
        with tempfile.TemporaryFile(dir=self._content.parent) as original:
            shutil.copyfileobj(self._file, original)
            original.seek(0)
            self._file.seek(0)
            self._file.truncate()
            self._digest, self._size = sha256(), 0
            for line in mapped_lines(original, names, is_csv=is_csv):
                self.write(line)

    def check(self, grading: Grading, fault_of: FaultOf) -> Report:
        self._file.flush()
        self._file.seek(0)
        found = LineCheck(self._file, grading, fault_of)
        report = found.run(sha256=self._digest.hexdigest(), size_bytes=self._size)
        if not report.error_count:
            self._write_index(found.index)
        return report

    def _write_index(self, index: IndexBuilder) -> None:
        try:
            with self._index.open("wb") as file:
                index.write(file)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unwritable(self._folder, error) from error

    def keep(self) -> None:
        content, index = _paths(self._folder, self._digest.hexdigest())
        try:
            self._file.flush()
            if self._shared is not None:
                return self._shared.put(self._digest.hexdigest(), self._content, self._index)
            os.fsync(self._file.fileno())
            content.parent.mkdir(parents=True, exist_ok=True)
            # The content is moved last: if it exists, the rest does too.
            self._index.replace(index)
            self._content.replace(content)
        except OSError as error:
            raise _unwritable(self._folder, error) from error
        return None

    def close(self) -> None:
        self._file.close()
        self._content.unlink(missing_ok=True)
        self._index.unlink(missing_ok=True)


class FileLines:
    """One open file, read at any position by any thread."""

    def __init__(self, content: Path, index: Path) -> None:
        self._index = LineIndex(index)
        self._descriptor = os.open(content, os.O_RDONLY)
        weakref.finalize(self, os.close, self._descriptor)

    def ids(self) -> Sequence[ItemId]:
        return self._index.ids()

    def categories(self, ids: Sequence[ItemId]) -> Mapping[ItemId, str]:
        return self._index.categories(ids)

    def line(self, item_id: ItemId, *, grading: Grading) -> Line:
        number = self._index.number(item_id)
        offset, length = self._index.span(number)
        content = orjson.loads(os.pread(self._descriptor, length, offset))
        return parsed_line(content, LinePlace(number, grading))


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


def _paths(folder: Path, sha256: str) -> tuple[Path, Path]:
    content = folder / sha256[:2] / f"{sha256}.jsonl"
    return content, content.with_suffix(".index")


def _remove_leftovers(incoming: Path) -> None:
    oldest = time.time() - _LEFT_BEHIND_S
    for path in incoming.iterdir():
        if path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)


def _unwritable(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"the data set could not be stored in {str(folder)!r}: {error.strerror}")
