"""Tar archives to and from a container; archives from a container are untrusted."""

import contextlib
import io
import tarfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from assay.adapters.sandbox.patterns import fits
from assay.domain.errors import SandboxError


def packed(files: Mapping[str, bytes], *, owner: int, executable: Collection[str] = frozenset()) -> bytes:
    """An archive of the files and their folders, owned by the user with this id."""
    buffer = io.BytesIO()
    folders: set[str] = set()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            path = _inner(name)
            for folder in reversed([str(one) for one in path.parents if str(one) != "."]):
                if folder not in folders:
                    folders.add(folder)
                    archive.addfile(_entry(folder, owner=owner, kind=tarfile.DIRTYPE, mode=0o755))
            mode = 0o755 if name in executable else 0o644
            entry = _entry(str(path), owner=owner, kind=tarfile.REGTYPE, mode=mode)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def unpacked(archive: bytes, patterns: Sequence[str], *, max_files: int, max_bytes: int) -> dict[str, bytes]:
    """Regular files with one name each below the archive's top folder, by pattern.

    Files beyond the limits are left out, and so is what a truncated archive has lost: a program must not be
    able to make the collection of its own files fail.
    """
    found: dict[str, bytes] = {}
    room = max_bytes
    with (
        contextlib.suppress(tarfile.ReadError),
        tarfile.open(fileobj=io.BytesIO(archive), mode="r|") as stream,
    ):
        for member in stream:
            if member.islnk():
                # A hard link: the file has two names.
                found.pop(_relative(member.linkname) or "", None)
            name = _relative(member.name)
            if not member.isreg() or name is None or not fits(name, patterns):
                continue
            content = stream.extractfile(member)
            if content is not None and len(found) < max_files and member.size <= room:
                found[name] = content.read()
                room -= member.size
    return found


def _entry(name: str, *, owner: int, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.uid, entry.gid = kind, mode, owner, owner
    return entry


def _inner(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise SandboxError(f"a file must stay inside the workspace, not {name!r}")
    return path


def _relative(name: str) -> str | None:
    parts = PurePosixPath(name).parts[1:]
    return "/".join(parts) if parts and ".." not in parts else None
