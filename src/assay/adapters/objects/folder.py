"""Files by name in a folder of this machine."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from assay.domain.errors import ObjectStoreError

_PARTIAL = ".partial-"


class FolderObjects:
    """The folder is made when the first file is put into it, for its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, content: bytes | Path) -> None:
        with self._told("write", name):
            _replace(self._path(name), content)

    def read(self, name: str) -> bytes | None:
        with self._told("read", name):
            try:
                return self._path(name).read_bytes()
            except FileNotFoundError:
                return None

    def local_copy(self, name: str, sha256: str) -> Path | None:
        """The file itself."""
        path = self._path(name)
        with self._told("read", name):
            try:
                with path.open("rb") as content:
                    found = hashlib.file_digest(content, "sha256").hexdigest()
            except FileNotFoundError:
                return None
        if found != sha256:
            raise ObjectStoreError(
                f"{name!r} in {str(self._folder)!r} is not what was stored there: the checksum differs;"
                " restore the file from a back-up"
            )
        return path

    def remove(self, names: Collection[str]) -> None:
        for name in names:
            with self._told("delete", name):
                _remove(self._path(name), within=self._folder)

    def names(self, prefix: str) -> Sequence[str]:
        with self._told("list", prefix):
            return [
                path.relative_to(self._folder).as_posix()
                for path in self._path(prefix).glob("**/*")
                if path.is_file() and not path.name.startswith(_PARTIAL)
            ]

    def _path(self, name: str) -> Path:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts:
            raise ObjectStoreError(f"{name!r} cannot be the name of a stored file")
        return self._folder.joinpath(*parts)

    @contextmanager
    def _told(self, verb: str, name: str) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise ObjectStoreError(
                f"cannot {verb} {name!r} in {str(self._folder)!r}: {error.strerror}"
            ) from error


def _replace(path: Path, content: bytes | Path) -> None:
    """Beside it first, so that a process that is killed leaves the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # For its owner alone, as temporary files are.
    descriptor, partial = tempfile.mkstemp(dir=path.parent, prefix=_PARTIAL)
    try:
        with os.fdopen(descriptor, "wb") as target:
            _write(content, target)
            target.flush()
            os.fsync(target.fileno())
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def _write(content: bytes | Path, target: BinaryIO) -> None:
    if isinstance(content, bytes):
        target.write(content)
        return
    with content.open("rb") as source:
        shutil.copyfileobj(source, target)


def _remove(path: Path, *, within: Path) -> None:
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == within or not parent.exists() or any(parent.iterdir()):
            return
        parent.rmdir()
