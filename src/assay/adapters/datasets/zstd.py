"""Reading zstd files."""

import io
from typing import BinaryIO

import zstandard

# All that a piece unpacks to is held at once, which may be 32,000 times as much.
_CHUNK_BYTES = 1024


class ZstdStream(io.RawIOBase):
    """The content of zstd frames; unlike zstandard's own reader it notices a file that was cut short."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready = b""
        self._at = 0
        self._is_inside_frame = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] # BufferedReader only passes memoryviews
        while self._at == len(self._ready) and self._advance():
            pass
        piece = memoryview(self._ready)[self._at : self._at + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def close(self) -> None:
        self._packed.close()
        super().close()

    def _advance(self) -> bool:
        """Unpack the next piece; False at the end of the file."""
        chunk = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._is_inside_frame = False
        chunk = chunk or self._packed.read(_CHUNK_BYTES)
        if not chunk:
            if self._is_inside_frame:
                raise EOFError("the zstd stream ends inside a frame")
            return False
        self._is_inside_frame = True
        self._ready, self._at = self._frame.decompress(chunk), 0
        return True
