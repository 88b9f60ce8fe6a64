"""Names what blocks the event loop."""

import asyncio
import faulthandler
import logging
import tempfile
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

_log = logging.getLogger(__name__)
_LIMIT_S = 0.25
_TICK_S = 0.05
_FRAMES = 12


def _waited_s(thread_id: int) -> float:
    """How long the thread was ready to run while others ran; 0 where the system does not say."""
    try:
        figures = Path(f"/proc/self/task/{thread_id}/schedstat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return int(figures.split()[1]) / 1e9


@dataclass(frozen=True, slots=True)
class _Beat:
    """When the loop was last seen to turn, and what the clocks of its thread and its process showed."""

    at_s: float
    cpu_s: float
    waited_s: float

    @classmethod
    def now(cls, thread_id: int) -> "_Beat":
        return cls(time.monotonic(), time.process_time(), _waited_s(thread_id))


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

    async def _beat(self) -> None:
        thread_id = threading.get_native_id()
        while True:
            blocked_s = self._blocked_s(self._last, thread_id)
            self.longest_s = max(self.longest_s, blocked_s)
            if blocked_s >= _LIMIT_S:
                self.blocked_count += 1
                _log.warning("the event loop was blocked for %.2f s", blocked_s)
            self._last, self._ticks = _Beat.now(thread_id), 0
            await asyncio.sleep(_TICK_S)

    def _watch(self, ident: int, thread_id: int) -> None:
        named: _Beat | None = None
        with tempfile.TemporaryFile() as dump:
            while not self._ended.wait(_TICK_S):
                beat = self._last
                self._ticks += 1
                if beat is named or self._awake_s(beat) < _LIMIT_S:
                    continue
                # The stack first: all else may let the loop's thread go on.
                stack = _stack(ident, dump)
                if self._blocked_s(beat, thread_id) >= _LIMIT_S:
                    named = beat
                    _log.warning("the event loop is blocked in %s", stack)

    def _awake_s(self, beat: _Beat) -> float:
        # The beat itself is due after a tick.
        return max(self._ticks * _TICK_S, time.process_time() - beat.cpu_s) - _TICK_S

    def _blocked_s(self, beat: _Beat, thread_id: int) -> float:
        awake_s = self._awake_s(beat)
        waited_s = _waited_s(thread_id) - beat.waited_s
        return min(awake_s, time.monotonic() - beat.at_s - waited_s - _TICK_S)

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Watch the running event loop until the block ends."""
        ids = threading.get_ident(), threading.get_native_id()
        self._last = _Beat.now(ids[1])
        beating = asyncio.create_task(self._beat())
        thread = threading.Thread(target=self._watch, args=ids, name="loop-watchdog", daemon=True)
        thread.start()
        try:
            yield
        finally:
            beating.cancel()
            self._ended.set()
            thread.join()


def _stack(ident: int, dump: BinaryIO) -> str:
    """Where the thread is, innermost first."""
    faulthandler.dump_traceback(dump.fileno())
    dump.seek(0)
    threads = dump.read().decode().split("\n\n")
    dump.seek(0)
    dump.truncate()
    own = next((thread for thread in threads if f"{ident:016x}" in thread), "")
    return " < ".join(line.strip() for line in own.strip().splitlines()[1 : _FRAMES + 1])
