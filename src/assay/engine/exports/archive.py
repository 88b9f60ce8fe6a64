"""Opens a bundle from an untrusted source, without unpacking to disk or relying on stated sizes."""

import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import IO, BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile

from assay.domain.errors import InvalidValueError
from assay.engine.exports.bundle import MANIFEST, MEMBERS, PUBLIC_KEY, RESULTS, SIGNATURE
from assay.engine.exports.json_stream import JsonStream, ValueLimits

ZIP_START = b"PK"
_GIB = 1 << 30
_SMALL = {MANIFEST: 1 << 20, SIGNATURE: 1 << 12, PUBLIC_KEY: 1 << 12}
# Results of real runs compress by a factor of five to ten.
_MAX_RATIO = 200
_ALWAYS_ALLOWED_BYTES = 64 << 20
_MAX_DIRECTORY_BYTES = 1 << 20
_ENCRYPTED = 0x1
_FAULTS = (
    BadZipFile,
    LargeZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
    RuntimeError,
)


class BundleError(InvalidValueError):
    """The file is not a whole bundle."""


class NotAnExportError(BundleError):
    """The file is something else altogether, so there is nothing to refute."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"this is not an Assay export: {reason}")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    results_bytes: int = 64 * _GIB
    values: ValueLimits = field(default_factory=ValueLimits)


class Archive:
    """Use with `opened_archive`."""

    def __init__(self, zipped: ZipFile, limits: ArchiveLimits) -> None:
        self._zip = zipped
        self._limits = limits

    def small(self, name: str) -> bytes:
        """Read one of the members that are always short."""
        with _translated(name), self._zip.open(name) as member:
            content = member.read(_SMALL[name] + 1)
        if len(content) > _SMALL[name]:
            raise BundleError(f"{name} is longer than {_SMALL[name]:,} bytes")
        return content

    @contextmanager
    def results(self) -> Generator["HashedReader"]:
        packed = self._zip.getinfo(RESULTS).compress_size
        most = min(self._limits.results_bytes, max(_ALWAYS_ALLOWED_BYTES, packed * _MAX_RATIO))
        with _translated(RESULTS):
            member = self._zip.open(RESULTS)
        with member:
            yield HashedReader(member, most)

    def stream(self, results: "HashedReader") -> JsonStream:
        return JsonStream(results.read, self._limits.values)


class HashedReader:
    """Reads results.json in pieces; `hexdigest` covers the bytes read so far."""

    def __init__(self, source: IO[bytes], most_bytes: int) -> None:
        self._source = source
        self._left = most_bytes
        self._hash = sha256()
        self.size = 0

    def read(self, size: int) -> bytes:
        with _translated(RESULTS):
            piece = self._source.read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise BundleError(f"{RESULTS} unpacks to more bytes than is plausible for a file of this size")
        self._hash.update(piece)
        self.size += len(piece)
        return piece

    def drain(self) -> None:
        """Read to the end, so that the hash is that of the whole member."""
        while self.read(1 << 20):
            pass

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


class _BoundedFile:
    """Refuses to read a long directory of an archive; one of a bundle takes a few hundred bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable
        self.is_open = False

    def read(self, size: int = -1) -> bytes:
        if not self.is_open and size > _MAX_DIRECTORY_BYTES:
            raise NotAnExportError("it is an archive of many files")
        return self._file.read(size)


@contextmanager
def opened_archive(file: BinaryIO, limits: ArchiveLimits | None = None) -> Generator[Archive]:
    """Raises BundleError unless the file holds the four members of a bundle and nothing else."""
    with _opened_zip(file) as zipped:
        names = [entry.filename for entry in zipped.infolist()]
        if len(set(names) & set(MEMBERS)) < len(MEMBERS) - 1:
            raise NotAnExportError(f"the archive does not have the members {', '.join(MEMBERS)}")
        for name in MEMBERS:
            if names.count(name) != 1:
                raise BundleError(f"the bundle has {names.count(name)} members named {name!r} instead of one")
        if unexpected := sorted(set(names) - set(MEMBERS)):
            raise BundleError(f"the bundle has the unexpected member {unexpected[0]!r}")
        for entry in zipped.infolist():
            if entry.flag_bits & _ENCRYPTED or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise BundleError(f"{entry.filename} is encrypted or compressed in an unknown way")
        yield Archive(zipped, limits or ArchiveLimits())


def _opened_zip(file: BinaryIO) -> ZipFile:
    bounded = _BoundedFile(file)
    try:
        with _translated("the file"):
            zipped = ZipFile(cast("BinaryIO", bounded))  # has all that reading an archive takes
    except BundleError as error:
        file.seek(0)
        if file.read(len(ZIP_START)) != ZIP_START:
            raise NotAnExportError("it is not a ZIP archive") from error
        raise
    bounded.is_open = True
    return zipped


@contextmanager
def _translated(what: str) -> Generator[None]:
    try:
        yield
    except InvalidValueError:
        raise
    except _FAULTS as error:
        raise BundleError(
            f"{what} cannot be read as a ZIP archive: {type(error).__name__}: {error}"
        ) from error
