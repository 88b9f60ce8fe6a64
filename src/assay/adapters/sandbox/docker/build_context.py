"""The folder that an image is built from, as an archive: equal folders give equal bytes."""

import hashlib
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from assay.domain.errors import DataError
from assay.domain.programs.containers import Build

_MOST_BYTES = 8 * 1024**3
_MOST_FILES = 100_000
_CHUNK_BYTES = 1 << 20


def write_context(build: Build, file: BinaryIO) -> str:
    """Write the archive, and return the digest of it and of what else the image depends on."""
    room = _MOST_BYTES
    with tarfile.open(fileobj=file, mode="w") as archive:
        for number, path in enumerate(_paths(build.folder, build.excluded)):
            entry = archive.gettarinfo(path, arcname=str(path.relative_to(build.folder)))
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, 0, "", ""
            room -= entry.size
            if number >= _MOST_FILES or room < 0:
                raise DataError(f"the folder {build.folder.name!r} is too large to build an image from")
            if entry.isreg():
                with path.open("rb") as content:
                    archive.addfile(entry, content)
            else:
                archive.addfile(entry)
    file.seek(0)
    digest = hashlib.sha256(f"{build.dockerfile}\n{build.network}\n".encode())
    while chunk := file.read(_CHUNK_BYTES):
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def _paths(folder: Path, excluded: frozenset[str]) -> Iterator[Path]:
    """Files, folders and links, which are never followed, in an order of their own."""
    for path in sorted(folder.iterdir()):
        if path.name in excluded:
            continue
        if path.is_symlink() or path.is_file():
            yield path
        elif path.is_dir():
            yield path
            yield from _paths(path, frozenset())
