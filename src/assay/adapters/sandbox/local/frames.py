"""Messages between the service and a supervisor: a name, JSON and bytes, each preceded by its length."""

import struct
from dataclasses import dataclass, field

_LENGTHS = struct.Struct("!BII")
_MAXIMUM = 1 << 30


@dataclass(frozen=True, slots=True)
class Frame:
    """`text` is the JSON of one of the messages in `messages.py`."""

    name: str
    text: str = "{}"
    body: bytes = b""

    def encoded(self) -> bytes:
        name, text = self.name.encode(), self.text.encode()
        return b"".join((_LENGTHS.pack(len(name), len(text), len(self.body)), name, text, self.body))


@dataclass(slots=True)
class FrameReader:
    """Assembles frames from pieces of any size."""

    _pending: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> list[Frame]:
        self._pending += data
        frames: list[Frame] = []
        while (frame := self._next()) is not None:
            frames.append(frame)
        return frames

    def _next(self) -> Frame | None:
        if len(self._pending) < _LENGTHS.size:
            return None
        lengths: tuple[int, int, int] = _LENGTHS.unpack_from(self._pending)
        if sum(lengths) > _MAXIMUM:
            raise ValueError("a message is too long")
        text = _LENGTHS.size + lengths[0]
        body = text + lengths[1]
        end = body + lengths[2]
        if len(self._pending) < end:
            return None
        pending = self._pending
        frame = Frame(
            pending[_LENGTHS.size : text].decode(), pending[text:body].decode(), bytes(pending[body:end])
        )
        del pending[:end]
        return frame
