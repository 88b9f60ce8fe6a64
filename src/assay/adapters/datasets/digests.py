"""What identifies the bytes of a file."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_CHUNK_BYTES = 1024 * 1024
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Digests:
    """A file's SHA-256 and its git blob SHA-1."""

    size: int
    sha256: str
    git_sha1: str

    @classmethod
    def of(cls, path: Path) -> "Digests":
        size = path.stat().st_size
        sha256 = hashlib.sha256()
        git_sha1 = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
        for chunk in _chunks(path):
            sha256.update(chunk)
            git_sha1.update(chunk)
        return cls(size, sha256.hexdigest(), git_sha1.hexdigest())

    def match(self, name: str | None, sha256: str | None = None) -> bool:
        """Whether the file has the digest in `name`, and the pinned SHA-256 if there is one.

        The hub names large files by their SHA-256, others by git's SHA-1; any other name is ignored.
        """
        if sha256 not in (None, self.sha256):
            return False
        if name is None or not _DIGEST.fullmatch(name):
            return True
        return name in (self.sha256, self.git_sha1)


def joint_sha256(files: Iterable[Path]) -> str:
    """SHA-256 over the bytes of all files, one after the other."""
    sha256 = hashlib.sha256()
    for path in files:
        for chunk in _chunks(path):
            sha256.update(chunk)
    return sha256.hexdigest()


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk
