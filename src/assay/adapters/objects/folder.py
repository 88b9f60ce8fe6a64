"""Files by name in a folder of this machine."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath

from assay.domain.errors import DataMissingError, StoreError

_PIECE = 1024**2
_PARTIAL = ".partial-"


class FolderObjects:
    """The folder is made when the first file is put into it, for its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, name: str, file: Path) -> None:
        try:
            await asyncio.to_thread(_replace, self._path(name), file)
        except OSError as error:
            raise StoreError(f"cannot write {name!r} into {str(self._folder)!r}: {error.strerror}") from error

    async def get(self, name: str) -> AsyncIterator[bytes]:
        try:
            with await asyncio.to_thread(self._path(name).open, "rb") as content:
                while piece := await asyncio.to_thread(content.read, _PIECE):
                    yield piece
        except FileNotFoundError as error:
            raise DataMissingError(
                f"{name!r} is not in {str(self._folder)!r}; restore that folder from a back-up, or work on"
                " the machine that has it"
            ) from error
        except OSError as error:
            raise StoreError(f"cannot read {name!r} in {str(self._folder)!r}: {error.strerror}") from error

    async def delete(self, name: str) -> None:
        try:
            await asyncio.to_thread(_remove, self._path(name), within=self._folder)
        except OSError as error:
            raise StoreError(f"cannot delete {name!r} in {str(self._folder)!r}: {error.strerror}") from error

    async def names(self, prefix: str) -> AsyncIterator[str]:
        for name in await asyncio.to_thread(self._found):
            if name.startswith(prefix):
                yield name

    def _found(self) -> list[str]:
        return [
            path.relative_to(self._folder).as_posix()
            for path in self._folder.glob("**/*")
            if path.is_file() and not path.name.startswith(_PARTIAL)
        ]

    def _path(self, name: str) -> Path:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts:
            raise StoreError(f"{name!r} cannot be the name of a stored file")
        return self._folder.joinpath(*parts)


def _replace(path: Path, file: Path) -> None:
    """Beside it first, so that a process that is killed leaves the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # For its owner alone, as temporary files are.
    descriptor, partial = tempfile.mkstemp(dir=path.parent, prefix=_PARTIAL)
    try:
        with os.fdopen(descriptor, "wb") as target, file.open("rb") as source:
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
