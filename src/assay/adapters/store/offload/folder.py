"""The files of offloaded runs in the data folder of this machine."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from assay.domain.errors import StoreError

_PIECE = 1024**2
_PARTIAL = ".partial-"


class OffloadFolder:
    """Folders are made when the first file is put into them, for their owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, content: Path) -> None:
        try:
            _replace(self._path(name), content)
        except OSError as error:
            raise StoreError(f"cannot write {name!r} into {str(self._folder)!r}: {error.strerror}") from error

    def local_copy(self, name: str, sha256: str) -> Path | None:
        path = self._path(name)
        try:
            with path.open("rb") as content:
                found = hashlib.file_digest(content, "sha256").hexdigest()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"cannot read {name!r} in {str(self._folder)!r}: {error.strerror}") from error
        if found != sha256:
            raise StoreError(
                f"{name!r} in {str(self._folder)!r} is not what was written there: the checksum differs;"
                " restore it from a back-up"
            )
        return path

    def remove(self, names: Collection[str]) -> None:
        for name in names:
            try:
                _remove(self._path(name), within=self._folder)
            except OSError as error:
                raise StoreError(
                    f"cannot delete {name!r} in {str(self._folder)!r}: {error.strerror}"
                ) from error

    def names(self, prefix: str) -> Collection[str]:
        return [
            path.relative_to(self._folder).as_posix()
            for path in self._path(prefix).glob("**/*")
            if path.is_file() and not path.name.startswith(_PARTIAL)
        ]

    def _path(self, name: str) -> Path:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts:
            raise StoreError(f"{name!r} cannot be the name of a file of a run")
        return self._folder.joinpath(*parts)


def _replace(path: Path, content: Path) -> None:
    """Beside it first, so that a process that is killed leaves the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # For its owner alone, as temporary files are.
    descriptor, partial = tempfile.mkstemp(dir=path.parent, prefix=_PARTIAL)
    try:
        with os.fdopen(descriptor, "wb") as target, content.open("rb") as source:
            shutil.copyfileobj(source, target, _PIECE)
            target.flush()
            os.fsync(target.fileno())
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def _remove(path: Path, *, within: Path) -> None:
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == within or not parent.exists() or any(parent.iterdir()):
            return
        parent.rmdir()
