"""Long texts before they are stored, by the hash of their content."""

import hashlib
import threading
from collections.abc import Collection
from typing import NamedTuple

import zstandard

# Compressing shorter texts saves too little space for the time that it takes.
_COMPRESS_ABOVE_BYTES = 512


class Blob(NamedTuple):
    """A row of the table, in the order of its columns."""

    sha256: bytes
    content: bytes
    is_compressed: bool
    size: int
    # Of the object that holds the content, in its place.
    object_id: str | None = None


class _PerThread(threading.local):
    """A compressor for each thread: threads may not share one, and creating it takes longer than using it."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=3)


_local = _PerThread()


class BlobBatch:
    """Collects the texts of one transaction."""

    def __init__(self) -> None:
        self._contents: dict[bytes, bytes] = {}

    def add(self, text: str) -> bytes:
        """Returns the hash to store in place of the text."""
        return self.add_bytes(text.encode("utf-8", "surrogatepass"))

    def add_bytes(self, content: bytes) -> bytes:
        sha256 = hashlib.sha256(content).digest()
        self._contents[sha256] = content
        return sha256

    def rows(self, *, placed: Collection[bytes] = (), added: Collection[Blob] = ()) -> list[Blob]:
        """Sorted, so that two transactions with the same blobs cannot deadlock.

        Texts that are `placed` in an object store have their rows in `added`, if they need any.
        """
        for sha256 in placed:
            self._contents.pop(sha256, None)
        long = {key: text for key, text in self._contents.items() if len(text) > _COMPRESS_ABOVE_BYTES}
        short = (
            Blob(key, text, is_compressed=False, size=len(text))
            for key, text in self._contents.items()
            if key not in long
        )
        packed = (
            Blob(key, small, is_compressed=True, size=len(text))
            for (key, text), small in zip(long.items(), _compressed(list(long.values())), strict=True)
        )
        return sorted((*added, *short, *packed))


def _compressed(contents: list[bytes]) -> list[bytes]:
    """All in one call: each call releases the interpreter lock and then waits for it."""
    if not contents:
        return []
    compress = _local.compressor.multi_compress_to_buffer
    segments = compress(contents, threads=0)  # pyright: ignore[reportArgumentType] # bytes are buffers
    return [segments[index].tobytes() for index in range(len(segments))]
