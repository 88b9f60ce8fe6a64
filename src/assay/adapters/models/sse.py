"""Server-sent events from a byte stream that may be split anywhere."""


class EventSplitter:
    """Collects bytes and returns the data of each completed event.

    Lines end in LF or CRLF. Comments and every field but `data` are skipped.
    """

    __slots__ = ("_data", "_partial")

    def __init__(self) -> None:
        self._partial: list[bytes] = []
        self._data: bytes | None = None

    def feed(self, block: bytes) -> list[bytes]:
        end = block.rfind(b"\n") + 1
        if not end:
            # Kept as separate blocks until a line is complete: joining at every block would be quadratic.
            self._partial.append(block)
            return []
        lines = block[:end]
        if self._partial:
            lines = b"".join((*self._partial, lines))
            self._partial.clear()
        if end < len(block):
            self._partial.append(block[end:])
        return self._events(lines)

    def finish(self) -> list[bytes]:
        """The last event of a stream that ended without the empty line after it."""
        rest = b"".join(self._partial)
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
                    events.append(data)
                    data = None
            elif line.startswith(b"data:"):
                value = line[6:] if line[5:6] == b" " else line[5:]
                data = value if data is None else data + b"\n" + value
        self._data = data
        return events
