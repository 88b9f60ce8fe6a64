"""Waits for the end of a program: reads its output, and kills it if it exceeds a limit."""

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.adapters.sandbox.local.meter import Meter
from assay.adapters.sandbox.local.processes import StuckError
from assay.domain.programs.sandbox import Limits, Status

_CHUNK = 1 << 16
_SOONEST_S, _LATEST_S = 0.01, 0.1
# Thousands of processes die slowly on a busy machine.
_DYING_S = 30.0


@dataclass(slots=True)
class Output:
    """One of the program's streams, up to a number of bytes."""

    source: int
    maximum: int
    data: bytearray = field(default_factory=bytearray)
    is_cut: bool = False
    is_open: bool = True

    def take(self) -> None:
        chunk = os.read(self.source, _CHUNK)
        if not chunk:
            self.is_open = False
            return
        room = self.maximum - len(self.data)
        self.data += chunk[:room]
        self.is_cut = self.is_cut or len(chunk) > room

    def drain(self) -> None:
        """Read the rest of the pipe; its writers have ended."""
        while self.is_open and not self.is_cut:
            self.take()


@dataclass(frozen=True, slots=True)
class MonitorInputs:
    """`ended` becomes readable when the program has ended, `control` when the service sends something."""

    stdout: Output
    stderr: Output
    ended: int
    control: int
    kill: Callable[[], None]
    is_canceled: Callable[[], bool]


@dataclass(slots=True)
class ProgramMonitor:
    """`killed_for` is the limit that was exceeded, or None if the program ended by itself."""

    inputs: MonitorInputs
    limits: Limits
    meter: Meter
    killed_for: Status | None = None
    is_canceled: bool = False
    wall_s: float = 0.0
    _began: float = field(default_factory=time.monotonic)
    _next_look: float = 0.0
    _killed_at: float | None = None

    def wait(self) -> None:
        """Return when the program has ended or was killed."""
        inputs = self.inputs
        self._next_look = self._began + _LATEST_S
        poll = select.poll()
        for descriptor in (inputs.stdout.source, inputs.stderr.source, inputs.ended, inputs.control):
            poll.register(descriptor, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll(self._timeout_ms())}
            self._read(ready, poll)
            if inputs.ended in ready:
                self.wall_s = time.monotonic() - self._began
                return
            if inputs.control in ready and inputs.is_canceled():
                self.is_canceled = True
                poll.unregister(inputs.control)
                self._kill()
            self._enforce()

    def _read(self, ready: set[int], poll: select.poll) -> None:
        for stream in (self.inputs.stdout, self.inputs.stderr):
            if stream.source in ready:
                stream.take()
                if not stream.is_open:
                    poll.unregister(stream.source)

    def _timeout_ms(self) -> float:
        if self._killed_at is not None:
            return _DYING_S * 1000
        until = min(self._next_look, self._began + self.limits.wall_s)
        return max(0.0, until - time.monotonic()) * 1000 + 1

    def _enforce(self) -> None:
        now = time.monotonic()
        if self._killed_at is not None:
            if now - self._killed_at > _DYING_S:
                raise StuckError("a program did not end when it was killed")
            return
        # Standard error is not part of the answer: the rest is dropped, and the program continues.
        if self.inputs.stdout.is_cut:
            self.killed_for = Status.OUTPUT_LIMIT
        elif now >= self._next_look:
            self.killed_for = self.meter.exceeded()
            self._next_look = now + self._pause_s()
        if self.killed_for is None and now - self._began > self.limits.wall_s:
            self.killed_for = Status.WALL_LIMIT
        if self.killed_for is not None:
            self._kill()

    def _pause_s(self) -> float:
        """The time until the next check; shorter the closer the limit is."""
        left_s = (self.limits.cpu_s - self.meter.cpu_s()) / (os.cpu_count() or 1)
        return min(_LATEST_S, max(_SOONEST_S, left_s))

    def _kill(self) -> None:
        if self._killed_at is None:
            self._killed_at = time.monotonic()
            self.inputs.kill()
