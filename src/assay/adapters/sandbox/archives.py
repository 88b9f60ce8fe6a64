"""Tar archives to and from a container; what comes out was written by a stranger."""

import fnmatch
import io
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from assay.domain.errors import SandboxError


def packed(files: Mapping[str, bytes], *, owner: int) -> bytes:
    """Files by their paths, with the folders between, for the user of that number."""
    buffer = io.BytesIO()
    folders: set[str] = set()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            path = _inner(name)
            for folder in reversed([str(one) for one in path.parents if str(one) != "."]):
                if folder not in folders:
                    folders.add(folder)
                    archive.addfile(_entry(folder, owner=owner, kind=tarfile.DIRTYPE, mode=0o755))
            entry = _entry(str(path), owner=owner, kind=tarfile.REGTYPE, mode=0o644)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def unpacked(archive: bytes, patterns: Sequence[str], *, max_files: int, max_bytes: int) -> dict[str, bytes]:
    """Regular files below the archive's top folder that fit a pattern; links and special files are left."""
    found: dict[str, bytes] = {}
    total = 0
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r|") as stream:
        for member in stream:
            name = _relative(member.name)
            if not member.isreg() or name is None or not any(_fits(name, one) for one in patterns):
                continue
            total += member.size
            if len(found) >= max_files or total > max_bytes:
                raise SandboxError(
                    f"the program left more than {max_files:,} files or {max_bytes:,} bytes to collect"
                )
            content = stream.extractfile(member)
            found[name] = content.read() if content is not None else b""
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


def _fits(name: str, pattern: str) -> bool:
    """Glob with `**` for any folders, as pathlib has it; a lone `*` does not cross a slash."""
    return _parts_fit(name.split("/"), pattern.split("/"))


def _parts_fit(names: Sequence[str], patterns: Sequence[str]) -> bool:
    if not patterns:
        return not names
    if patterns[0] == "**":
        return any(_parts_fit(names[skipped:], patterns[1:]) for skipped in range(len(names) + 1))
    return bool(names) and fnmatch.fnmatchcase(names[0], patterns[0]) and _parts_fit(names[1:], patterns[1:])
