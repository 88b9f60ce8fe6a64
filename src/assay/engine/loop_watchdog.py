"""Names what blocks the event loop."""

import asyncio
import contextlib
import faulthandler
import logging
import os
import tempfile
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import BinaryIO

_log = logging.getLogger(__name__)
_LIMIT_S = 0.25
# Twice as often took a third of what an idle worker used of its processor.
_TICK_S = 0.1
_FRAMES = 12


class _WaitingTime:
    """How long a thread was ready to run while others ran; 0 where the system does not say."""

    def __init__(self, thread_id: int) -> None:
        # Kept open: opening it takes longer than reading it.
        self._file: int | None = None
        with contextlib.suppress(OSError):
            self._file = os.open(f"/proc/self/task/{thread_id}/schedstat", os.O_RDONLY)

    def read_s(self) -> float:
        return 0.0 if self._file is None else int(os.pread(self._file, 100, 0).split()[1]) / 1e9

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)


@dataclass(frozen=True, slots=True)
class _Beat:
    """When the loop was last seen to turn, and what the clocks of its thread and its process showed."""

    at_s: float
    cpu_s: float
    waited_s: float

    @classmethod
    def now(cls, waiting: _WaitingTime) -> "_Beat":
        return cls(time.monotonic(), time.process_time(), waiting.read_s())


@dataclass(slots=True)
class LoopWatchdog:
    """How often the event loop was blocked for more than a quarter of a second, and the longest time.

    The loop beats, and measures how late it does; a thread names what it is doing meanwhile. A process that
    was stopped is not blocked, nor one that has to wait for the processor of a busy machine: time counts
    only while the thread was woken in time, or the process used the processor, as with a call that holds
    the interpreter's lock.
    """

    blocked_count: int = 0
    longest_s: float = 0.0
    _last: _Beat = _Beat(0.0, 0.0, 0.0)
    _ticks: int = 0
    _ended: threading.Event = field(default_factory=threading.Event)

    async def _beat(self, waiting: _WaitingTime) -> None:
        while True:
            beat = _Beat.now(waiting)
            blocked_s = self._blocked_s(self._last, beat)
            self.longest_s = max(self.longest_s, blocked_s)
            if blocked_s >= _LIMIT_S:
                self.blocked_count += 1
                _log.warning("the event loop was blocked for %.2f s", blocked_s)
            self._last, self._ticks = beat, 0
            await asyncio.sleep(_TICK_S)

    def _watch(self, ident: int, waiting: _WaitingTime) -> None:
        named: _Beat | None = None
        with tempfile.TemporaryFile() as dump:
            while not self._ended.wait(_TICK_S):
                beat = self._last
                self._ticks += 1
                if beat is named or self._awake_s(beat, time.process_time()) < _LIMIT_S:
                    continue
                # The stack first: all else may let the loop's thread go on.
                stack = _stack(ident, dump)
                if self._blocked_s(beat, _Beat.now(waiting)) >= _LIMIT_S:
                    named = beat
                    _log.warning("the event loop is blocked in %s", stack)

    def _awake_s(self, beat: _Beat, cpu_s: float) -> float:
        # The beat itself is due after a tick.
        return max(self._ticks * _TICK_S, cpu_s - beat.cpu_s) - _TICK_S

    def _blocked_s(self, beat: _Beat, now: _Beat) -> float:
        waited_s = now.waited_s - beat.waited_s
        return min(self._awake_s(beat, now.cpu_s), now.at_s - beat.at_s - waited_s - _TICK_S)

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Watch the running event loop until the block ends."""
        waiting = _WaitingTime(threading.get_native_id())
        self._last = _Beat.now(waiting)
        beating = asyncio.create_task(self._beat(waiting))
        arguments = threading.get_ident(), waiting
        thread = threading.Thread(target=self._watch, args=arguments, name="loop-watchdog", daemon=True)
        thread.start()
        try:
            yield
        finally:
            beating.cancel()
            self._ended.set()
            thread.join()
            waiting.close()


def _stack(ident: int, dump: BinaryIO) -> str:
    """Where the thread is, innermost first."""
    faulthandler.dump_traceback(dump.fileno())
    dump.seek(0)
    threads = dump.read().decode().split("\n\n")
    dump.seek(0)
    dump.truncate()
    own = next((thread for thread in threads if f"{ident:016x}" in thread), "")
    return " < ".join(line.strip() for line in own.strip().splitlines()[1 : _FRAMES + 1])
