"""Server-sent events from a byte stream that may be split anywhere."""

# What Python needs for a line beside its text.
_OBJECT_BYTES = 40


class EventSplitter:
    """Collects bytes and returns the data of each completed event.

    Lines end in LF or CRLF. Comments are counted; every field but `data` is skipped.
    """

    __slots__ = ("_data", "_more", "_more_bytes", "_partial", "comments")

    def __init__(self) -> None:
        self._partial = bytearray()
        self._data: bytes | None = None
        # Lines of the event after the first, which are rare. Joining at every line would be quadratic.
        self._more: list[bytes] = []
        self._more_bytes = 0
        self.comments = 0

    @property
    def held_bytes(self) -> int:
        """The memory that an event takes which is not complete."""
        return len(self._partial) + len(self._data or b"") + self._more_bytes

    def feed(self, block: bytes) -> list[bytes]:
        end = block.rfind(b"\n") + 1
        if not end:
            self._partial += block
            return []
        lines = block[:end]
        if self._partial:
            lines = bytes(self._partial) + lines
            self._partial.clear()
        if end < len(block):
            self._partial += block[end:]
        return self._events(lines)

    def finish(self) -> list[bytes]:
        """The last event of a stream that ended without the empty line after it."""
        rest = bytes(self._partial)
        self._partial.clear()
        return self._events(rest + b"\n\n")

    def _events(self, lines: bytes) -> list[bytes]:
        if b"\r" in lines:
            lines = lines.replace(b"\r\n", b"\n")
        events: list[bytes] = []
        data = self._data
        for line in lines[:-1].split(b"\n"):
            if not line:
                if data is not None:
                    events.append(self._joined(data) if self._more else data)
                    data = None
            elif line.startswith(b"data:"):
                value = line[6:] if line[5:6] == b" " else line[5:]
                if data is None:
                    data = value
                else:
                    self._more.append(value)
                    self._more_bytes += len(value) + _OBJECT_BYTES
            elif line.startswith(b":"):
                self.comments += 1
        self._data = data
        return events

    def _joined(self, first: bytes) -> bytes:
        data = b"\n".join((first, *self._more))
        self._more.clear()
        self._more_bytes = 0
        return data
