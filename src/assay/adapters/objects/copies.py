"""Copies of objects on this machine: each under the hash of its content, checked, the least used removed."""

import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from assay.domain.errors import ObjectStoreError, StoreError

_LEFT_BEHIND_S = 24 * 3600


class LocalCopies:
    """`most_bytes` may be exceeded by the copy that was asked for last."""

    def __init__(self, folder: Path, *, most_bytes: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        # What this process has read and compared: a file that has changed since is read again.
        self._checked: dict[str, tuple[int, int, int]] = {}
        self._lock = threading.Lock()

    def get(self, name: str, sha256: str, fetch: Callable[[BinaryIO], bool]) -> Path | None:
        """The copy with this content, fetched if there is none; None if `fetch` finds nothing."""
        path = self._folder / sha256[:2] / sha256
        try:
            # One at a time: threads that want the same file would all fetch it.
            with self._lock:
                if self._is_good(path, sha256):
                    return path
                return path if self._fetched(path, name, sha256, fetch) else None
        except OSError as error:
            raise StoreError(
                f"{name!r} of the object store cannot be copied to {str(self._folder)!r}: {error.strerror}"
            ) from error

    def _is_good(self, path: Path, sha256: str) -> bool:
        try:
            state = _state(path)
            if self._checked.get(sha256) != state and _sha256(path) != sha256:
                path.unlink(missing_ok=True)
                return False
            # The time of the last use; that of the last change tells whether it was changed.
            os.utime(path, ns=(time.time_ns(), state[2]))
        except FileNotFoundError:
            return False
        self._checked[sha256] = state
        return True

    def _fetched(self, path: Path, name: str, sha256: str, fetch: Callable[[BinaryIO], bool]) -> bool:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, partial = tempfile.mkstemp(dir=self._folder, prefix="partial-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                if not fetch(file):
                    return False
            found = _sha256(Path(partial))
            if found != sha256:
                raise ObjectStoreError(
                    f"{name!r} in the object store is not what was stored there (sha256 {sha256[:12]}… then,"
                    f" {found[:12]}… now): put it back from a copy of the store, or add the data again"
                )
            Path(partial).replace(path)
        finally:
            Path(partial).unlink(missing_ok=True)
        self._checked[sha256] = _state(path)
        self._make_room(path)
        return True

    def _make_room(self, newest: Path) -> None:
        found: list[tuple[int, int, Path]] = []
        for path in self._folder.glob("*/*"):
            with suppress(FileNotFoundError):
                status = path.stat()
                found.append((status.st_atime_ns, status.st_size, path))
        total = sum(size for _used, size, _path in found)
        for _used, size, path in sorted(found):
            if total <= self._most_bytes:
                break
            if path != newest:
                path.unlink(missing_ok=True)
                self._checked.pop(path.name, None)
                total -= size
        self._remove_leftovers()

    def _remove_leftovers(self) -> None:
        """Of processes that were killed while they fetched."""
        oldest = time.time() - _LEFT_BEHIND_S
        for path in self._folder.glob("partial-*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < oldest:
                    path.unlink()


def _state(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
