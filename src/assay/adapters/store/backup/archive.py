"""A back-up: the database and files of the data folder in one compressed file, with their checksums."""

import hashlib
import json
import os
import tarfile
import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import zstandard

from assay.adapters.store.backup.databases import dump, load, require_empty, revision
from assay.adapters.store.database.url import Location
from assay.domain.errors import ConflictError, InvalidValueError, StoreError

# What cannot be had again: fetched data and prepared environments can.
FOLDERS = ("agents", "datasets", "keys", "offloaded")
_FORMAT = 1
_MANIFEST = "backup.json"
_DATABASE = "database"
_MOST_MANIFEST_BYTES = 256 * 1024**2
_BLOCK = 1024**2


@dataclass(frozen=True, slots=True)
class Backup:
    """`files` are the checksums by name, the database among them."""

    kind: str
    schema: str
    version: str
    created_at: str
    files: Mapping[str, str]


def write_backup(file: Path, home: Path, location: Location, *, version: str, created_at: str) -> Backup:
    """Write it beside the file and move it into place when it is whole; raises ConflictError if it exists."""
    if file.exists():
        raise ConflictError(f"{str(file)!r} exists; a back-up is not written over another file")
    try:
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".backup-") as folder:
            database = Path(folder, _DATABASE)
            dump(location, database)
            # After the database: files are added before what refers to them.
            paths = {_DATABASE: database, **_files(home)}
            checksums = {name: _sha256(path) for name, path in paths.items()}
            found = Backup(location.kind, revision(location), version, created_at, checksums)
            partly = Path(folder, "partly")
            _write(partly, found, paths)
            partly.rename(file)
    except OSError as error:
        raise StoreError(f"cannot write the back-up {str(file)!r}: {error.strerror}") from error
    return found


def restore_backup(file: Path, home: Path, location: Location) -> Backup:
    """Check the whole file first; then restore into an empty database and folders that are not there."""
    found = check_backup(file)
    if found.kind != location.kind:
        raise InvalidValueError(
            f"the back-up is of a {found.kind} database, and {location} is none: set DATABASE_URL to one"
        )
    require_empty(location)
    if present := [name for name in FOLDERS if any(Path(home, name).glob("**/*"))]:
        raise ConflictError(
            f"{str(home / present[0])!r} is not empty: set ASSAY_HOME to a new folder to restore into"
        )
    try:
        with tempfile.TemporaryDirectory(dir=home, prefix=".restoring-") as folder:
            with _members(file) as members:
                for name, content in members:
                    _copy(content, Path(folder, name))
            load(location, Path(folder, _DATABASE))
            for name in FOLDERS:
                if Path(folder, name).exists():
                    _remove_empty(home / name)
                    Path(folder, name).rename(home / name)
    except OSError as error:
        raise StoreError(f"cannot restore into {str(home)!r}: {error.strerror}") from error
    return found


def check_backup(file: Path) -> Backup:
    """Raises InvalidValueError unless every file of the back-up is there, unchanged, and none besides."""
    try:
        with _opened(file) as archive:
            found = _manifest(archive)
        with _members(file) as members:
            read = {name: _digest(content) for name, content in members}
    except (tarfile.TarError, zstandard.ZstdError, EOFError) as error:
        raise _unreadable(file, str(error)) from error
    except OSError as error:
        raise InvalidValueError(f"cannot read {str(file)!r}: {error.strerror}") from error
    if read != found.files:
        names = read.keys() | found.files.keys()
        wrong = sorted(name for name in names if read.get(name) != found.files.get(name))
        raise _unreadable(file, f"{wrong[0]!r} is missing, changed or not listed")
    return found


def _unreadable(file: Path, reason: str) -> InvalidValueError:
    return InvalidValueError(f"{str(file)!r} is no whole back-up: {reason}")


def _files(home: Path) -> dict[str, Path]:
    return {
        path.relative_to(home).as_posix(): path
        for folder in FOLDERS
        for path in sorted(Path(home, folder).glob("**/*"))
        if path.is_file() and not path.is_symlink()
    }


def _write(file: Path, found: Backup, paths: Mapping[str, Path]) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with (
        os.fdopen(descriptor, "wb") as raw,
        zstandard.ZstdCompressor(threads=-1).stream_writer(raw) as compressed,
        tarfile.open(fileobj=compressed, mode="w|") as archive,
        tempfile.TemporaryFile() as manifest,
    ):
        manifest.write(json.dumps({"format": _FORMAT, **_document(found)}).encode())
        size = manifest.tell()
        manifest.seek(0)
        _add(archive, _MANIFEST, size, manifest)
        for name, path in paths.items():
            with path.open("rb") as content:
                _add(archive, name, os.fstat(content.fileno()).st_size, content)


def _document(found: Backup) -> dict[str, object]:
    return {
        "kind": found.kind,
        "schema": found.schema,
        "version": found.version,
        "created_at": found.created_at,
        "files": dict(found.files),
    }


def _add(archive: tarfile.TarFile, name: str, size: int, content: BinaryIO) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    archive.addfile(member, content)


@contextmanager
def _opened(file: Path) -> Generator[tarfile.TarFile]:
    with (
        file.open("rb") as raw,
        zstandard.ZstdDecompressor().stream_reader(raw) as plain,
        tarfile.open(fileobj=plain, mode="r|") as archive,
    ):
        yield archive


def _manifest(archive: tarfile.TarFile) -> Backup:
    first = archive.next()
    content = archive.extractfile(first) if first and first.name == _MANIFEST else None
    if content is None or first is None or first.size > _MOST_MANIFEST_BYTES:
        raise tarfile.ReadError("it does not begin with its list of files")
    try:
        document = json.load(content)
        if document.pop("format") != _FORMAT:
            raise tarfile.ReadError("it was written by a later version of Assay")
        found = Backup(**document)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise tarfile.ReadError("its list of files cannot be read") from error
    if not isinstance(found.files, dict) or not all(map(_is_usable, found.files)):
        raise tarfile.ReadError("it names files that are no part of a back-up")
    return found


def _is_usable(name: object) -> bool:
    if not isinstance(name, str):
        return False
    path = PurePosixPath(name)
    is_inside = not path.is_absolute() and ".." not in path.parts and path.as_posix() == name
    return is_inside and (name == _DATABASE or (len(path.parts) > 1 and path.parts[0] in FOLDERS))


@contextmanager
def _members(file: Path) -> Generator[Iterable[tuple[str, BinaryIO]]]:
    """The files after the manifest, each of which is read before the next."""
    with _opened(file) as archive:

        def each() -> Generator[tuple[str, BinaryIO]]:
            for member in archive:
                if member.name == _MANIFEST:
                    continue
                content = archive.extractfile(member) if member.isreg() and _is_usable(member.name) else None
                if content is None:
                    raise tarfile.ReadError(f"{member.name!r} is no file of a back-up")
                # typeshed: the members of an archive are read as bytes
                yield member.name, content  # pyright: ignore[reportReturnType]

        yield each()


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _digest(content: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := content.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _copy(content: BinaryIO, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
        while block := content.read(_BLOCK):
            target.write(block)


def _remove_empty(folder: Path) -> None:
    if folder.exists():
        folder.rmdir()
