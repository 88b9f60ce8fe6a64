"""The supervisor's side of the socket to the service."""

import socket
from collections import deque
from dataclasses import dataclass, field

from assay.adapters.sandbox.local.frames import Frame, FrameReader

CANCEL = "cancel"
_CHUNK = 1 << 20


@dataclass(slots=True)
class ServiceLink:
    """Frames from the service, and whether it has cancelled the running program."""

    control: socket.socket
    is_over: bool = False
    _waiting: deque[Frame] = field(default_factory=deque[Frame])
    _reader: FrameReader = field(default_factory=FrameReader)

    def next(self) -> Frame | None:
        """The next frame, or None once the service has closed the socket."""
        while not self._waiting and not self.is_over:
            self._receive()
        return self._waiting.popleft() if self._waiting and not self.is_over else None

    def is_canceled(self) -> bool:
        """Called when the service has sent something while a program runs."""
        self._receive()
        return self.is_over or self.has_cancel

    @property
    def has_cancel(self) -> bool:
        return any(frame.name == CANCEL for frame in self._waiting)

    def send(self, frame: Frame) -> None:
        self.control.sendall(frame.encoded())

    def _receive(self) -> None:
        data = self.control.recv(_CHUNK)
        if not data:
            self.is_over = True
        self._waiting.extend(self._reader.feed(data))
