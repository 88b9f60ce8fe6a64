"""Text documents from an archive or a folder, as rows `path` and `text`; nothing is unpacked to disk."""

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from assay.domain.benchmark import Row
from assay.domain.errors import BadRowError, DataMissingError

ARCHIVE = ".zip"
_TEXT = ".txt"
# A larger bundle is a mistake or an attack; the largest known one has 234 texts of 12 MB in total.
MAX_DOCUMENTS = 10_000
MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
MAX_TOTAL_BYTES = 512 * 1024 * 1024
_IS_UTF8 = 0x800
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


def document_rows(path: Path) -> Iterator[Row]:
    """Every text file in the archive or folder, under its path there, with `/` between the parts."""
    if path.is_dir():
        return _from_folder(path)
    return _from_archive(path)


def document_files(path: Path) -> tuple[Path, ...]:
    """The files whose bytes identify the documents."""
    return tuple(_texts_in(path)) if path.is_dir() else (path,)


def _from_archive(path: Path) -> Iterator[Row]:
    total = 0
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if one.filename.lower().endswith(_TEXT)]
            _require_few(path.name, len(members))
            for number, member in enumerate(members, start=1):
                name = _member_name(path.name, number, member)
                # The sizes that the archive states may be false: reading stops at the limit.
                with archive.open(member) as stream:
                    content = stream.read(MAX_DOCUMENT_BYTES + 1)
                total += len(content)
                _require_small(path.name, number, name, size=len(content), total=total)
                yield {"path": name, "text": _text(content)}
    except _DAMAGE as error:
        raise BadRowError(path.name, 0, f"the archive cannot be read: {error}") from error


def _member_name(archive: str, number: int, member: zipfile.ZipInfo) -> str:
    name = member.filename
    if not member.flag_bits & _IS_UTF8:
        # Without the UTF-8 flag Python decodes names as code page 437, while most tools write UTF-8.
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = member.filename
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or ":" in parts.parts[0]:
        raise BadRowError(archive, number, f"the archive holds a path that leads out of it: {name!r}")
    return str(parts)


def _from_folder(folder: Path) -> Iterator[Row]:
    total = 0
    files = list(_texts_in(folder))
    if not files:
        raise DataMissingError(f"{str(folder)!r} holds no text files (*{_TEXT})")
    _require_few(folder.name, len(files))
    for number, path in enumerate(files, start=1):
        name = path.relative_to(folder.resolve()).as_posix()
        with path.open("rb") as stream:
            content = stream.read(MAX_DOCUMENT_BYTES + 1)
        total += len(content)
        _require_small(folder.name, number, name, size=len(content), total=total)
        yield {"path": f"{folder.name}/{name}", "text": _text(content)}


def _texts_in(folder: Path) -> Iterator[Path]:
    """Sorted by name; links that lead out of the folder are not followed."""
    root = folder.resolve()
    for path in sorted(root.rglob(f"*{_TEXT}")):
        if path.is_file() and path.resolve().is_relative_to(root):
            yield path


def _require_few(bundle: str, count: int) -> None:
    if count > MAX_DOCUMENTS:
        raise BadRowError(bundle, 0, f"it holds {count:,} texts; at most {MAX_DOCUMENTS:,} are read")


def _require_small(bundle: str, number: int, name: str, *, size: int, total: int) -> None:
    if size > MAX_DOCUMENT_BYTES:
        limit = f"{MAX_DOCUMENT_BYTES // 1024**2} MB"
        raise BadRowError(bundle, number, f"{name!r} is longer than {limit}")
    if total > MAX_TOTAL_BYTES:
        limit = f"{MAX_TOTAL_BYTES // 1024**2} MB"
        raise BadRowError(bundle, number, f"the texts together are longer than {limit}")


def _text(content: bytes) -> str:
    """Decode as Python reads a text file: every line ending becomes a line feed."""
    text = content.decode("utf-8", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
