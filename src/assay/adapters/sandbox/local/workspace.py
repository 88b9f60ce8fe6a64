"""Reads and writes files of a workspace that untrusted programs have written to, while none is running."""

import contextlib
import os
import stat
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assay.adapters.sandbox.patterns import fits

_MOST_DEPTH = 32
_MOST_ENTRIES = 100_000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Non-blocking: opening a named pipe would wait for its other end.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class BadPathError(Exception):
    """A path leads out of the workspace, or through a link."""


@dataclass(frozen=True, slots=True)
class Owner:
    uid: int
    gid: int


def relative_parts(path: str) -> tuple[str, ...]:
    """The parts of a path below the workspace; raises BadPathError for any other."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path or len(parts) > _MOST_DEPTH:
        raise BadPathError(f"{path!r} is not a path inside the workspace")
    return parts


def put(root: Path, files: Mapping[str, bytes], owner: Owner) -> None:
    """Write files, replacing whatever has the same name."""
    for name, content in files.items():
        *folders, last = relative_parts(name)
        with _opened(root, folders, owner) as folder:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(last, dir_fd=folder)
            with os.fdopen(os.open(last, _NEW_FILE, 0o644, dir_fd=folder), "wb") as file:
                os.fchown(file.fileno(), owner.uid, owner.gid)
                file.write(content)


@contextlib.contextmanager
def _opened(root: Path, folders: Sequence[str], owner: Owner) -> Generator[int]:
    current = os.open(root, _FOLDER)
    try:
        for name in folders:
            try:
                os.mkdir(name, 0o755, dir_fd=current)
                os.chown(name, owner.uid, owner.gid, dir_fd=current, follow_symlinks=False)
            except FileExistsError:
                pass
            inner = _inner(current, name)
            os.close(current)
            current = inner
        yield current
    finally:
        os.close(current)


def _inner(folder: int, name: str) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError as error:
        raise BadPathError(f"{name!r} in the workspace is not a folder") from error


@dataclass(slots=True)
class _Allowance:
    files: int
    bytes: int
    entries: int = _MOST_ENTRIES


def collected(root: Path, patterns: Sequence[str], *, max_files: int, max_bytes: int) -> dict[str, bytes]:
    """Regular files with one name each, by pattern; files beyond the limits are left out."""
    found: dict[str, bytes] = {}
    folder = os.open(root, _FOLDER)
    try:
        _collect(folder, (), patterns, _Allowance(max_files, max_bytes), found)
    finally:
        os.close(folder)
    return found


def _collect(
    folder: int,
    above: tuple[str, ...],
    patterns: Sequence[str],
    allowance: _Allowance,
    found: dict[str, bytes],
) -> None:
    for name in sorted(os.listdir(folder)):
        allowance.entries -= 1
        if allowance.entries < 0 or allowance.files <= 0:
            return
        parts = (*above, name)
        path = "/".join(parts)
        kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISDIR(kind) and len(parts) < _MOST_DEPTH:
            with contextlib.suppress(OSError):
                _descend(folder, parts, patterns, allowance, found)
        elif stat.S_ISREG(kind) and fits(path, patterns):
            content = _content(folder, name, allowance.bytes)
            if content is not None:
                found[path] = content
                allowance.files -= 1
                allowance.bytes -= len(content)


def _descend(
    folder: int,
    parts: tuple[str, ...],
    patterns: Sequence[str],
    allowance: _Allowance,
    found: dict[str, bytes],
) -> None:
    inner = os.open(parts[-1], _FOLDER, dir_fd=folder)
    try:
        _collect(inner, parts, patterns, allowance, found)
    finally:
        os.close(inner)


def _content(folder: int, name: str, max_bytes: int) -> bytes | None:
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        # A hard link may refer to a file elsewhere that the program had no right to read.
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_size > max_bytes:
            return None
        return file.read(max_bytes)
