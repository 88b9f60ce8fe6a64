"""Live events for any number of listeners, through one reader of the store."""

import asyncio
import contextlib
import logging
from collections import defaultdict, deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto

from assay.api.schemas.events import frame
from assay.domain.errors import StoreError
from assay.domain.event import Event
from assay.domain.run import RunId
from assay.engine.stores import Stores

_log = logging.getLogger(__name__)


class Ending(Enum):
    """Why a listener gets nothing more."""

    DONE = auto()
    """Its run is over and it has every event."""
    CUT_OFF = auto()
    """It fell behind, or the server stops: it resumes from the last event it got."""


@dataclass(frozen=True, slots=True)
class HubOptions:
    """`settle_s` is how long a run that is over must be silent before its streams end.

    Its state is stored before the event that tells of it, and other workers' last reports may come after.
    """

    poll_s: float = 0.25
    settle_s: float = 1.0
    keep_alive_s: float = 15.0
    page: int = 500
    buffer: int = 2_000


class Listener:
    """What one client has still to be sent; `after` is the id of the last event it was given."""

    def __init__(self, run_id: RunId | None, after: int | None, options: HubOptions) -> None:
        self.run_id = run_id
        self.after = after
        self.ending: Ending | None = None
        self.heard_s = 0.0
        self._options = options
        self._frames: deque[bytes] = deque()
        self._news = asyncio.Event()

    @property
    def takes_a_page(self) -> bool:
        return self.ending is None and len(self._frames) + self._options.page <= self._options.buffer

    def give(self, events: Iterable[tuple[Event, bytes]], *, now_s: float) -> None:
        """Add those it lacks; one that would have to skip an event is cut off instead."""
        for event, encoded in events:
            if self.ending is not None or event.id is None or event.id <= (self.after or 0):
                continue
            if self.run_id not in (None, event.run_id):
                continue
            if len(self._frames) >= self._options.buffer:
                self.end(Ending.CUT_OFF)
                return
            self._frames.append(encoded)
            self.after, self.heard_s = event.id, now_s
            self._news.set()

    def end(self, ending: Ending) -> None:
        self.ending = self.ending or ending
        self._news.set()

    async def frames(self, *, timeout_s: float) -> bytes:
        """What has come in, at once or within the time; empty at its end and at the end."""
        if not self._frames and self.ending is None:
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await self._news.wait()
        waiting = b"".join(self._frames)
        self._frames.clear()
        return waiting


class EventHub:
    """Reads the store in one task while somebody listens; who asks for history waits in the same line."""

    def __init__(self, stores: Stores, options: HubOptions | None = None) -> None:
        self._stores = stores
        self.options = options or HubOptions()
        self._behind: list[Listener] = []
        self._live: list[Listener] = []
        self._head: int | None = None
        self._over_since_s: dict[RunId, float] = {}
        self._states_read_s = 0.0
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()

    @contextmanager
    def listener(
        self, run_id: RunId | None, *, after: int | None, is_long_over: bool = False
    ) -> Generator[Listener]:
        """Of one run or of all; without `after`, of all runs from now on.

        `is_long_over` spares the wait for the last events of a run that ended some time ago.
        """
        listener = Listener(run_id, after, self.options)
        listener.heard_s = float("-inf") if is_long_over else _now_s()
        if is_long_over and run_id is not None:
            self._over_since_s.setdefault(run_id, float("-inf"))
        self._behind.append(listener)
        self._start()
        try:
            yield listener
        finally:
            self._forget(listener)

    def close(self) -> None:
        """Send every listener away; they resume when the server is back."""
        for listener in (*self._behind, *self._live):
            listener.end(Ending.CUT_OFF)

    def _start(self) -> None:
        if self._task is None or self._task.done():
            self._wake, self._head = asyncio.Event(), None
            self._task = asyncio.create_task(self._read())
        self._wake.set()

    def _forget(self, listener: Listener) -> None:
        for group in (self._behind, self._live):
            if listener in group:
                group.remove(listener)
        if not self._behind and not self._live and self._task is not None:
            self._task.cancel()
            self._task = None
            self._over_since_s.clear()

    async def _read(self) -> None:
        try:
            while True:
                self._wake.clear()
                await self._step()
                if not any(listener.takes_a_page for listener in self._behind):
                    await self._pause()
        except Exception:
            # A bug must not leave the listeners waiting for nothing.
            self.close()
            raise

    async def _step(self) -> None:
        try:
            if self._head is None:
                self._head = await self._latest()
            await self._follow(self._head)
            await self._catch_up()
            await self._end_what_is_over()
        except StoreError as error:
            # A store that is away for a moment is away for everybody: the listeners wait with us.
            _log.warning("reading events failed: %s", error.message)
            await self._pause()

    async def _pause(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.options.poll_s):
                await self._wake.wait()

    async def _latest(self) -> int:
        """The id of the newest event, found by halving: the store has no question for it."""
        low, step = 0, 1
        while await self._stores.events.list_events(None, after=low + step, limit=1):
            low, step = low + step, step * 2
        high = low + step
        while low < high:
            middle = (low + high) // 2
            if await self._stores.events.list_events(None, after=middle, limit=1):
                low = middle + 1
            else:
                high = middle
        return low

    async def _follow(self, head: int) -> None:
        """Give what is new to those that have all the rest."""
        while page := await self._stores.events.list_events(None, after=head, limit=self.options.page):
            encoded = [(event, frame(event)) for event in page]
            for listener in self._live:
                listener.give(encoded, now_s=_now_s())
            self._head = head = page[-1].id or head

    async def _catch_up(self) -> None:
        """Give a page of history to each; those at the same place share one reading."""
        for (run_id, after), listeners in self._places().items():
            page = await self._stores.events.list_events(run_id, after=after, limit=self.options.page)
            encoded = [(event, frame(event)) for event in page]
            for listener in listeners:
                # What is long past does not put off the end of the stream.
                listener.give(encoded, now_s=listener.heard_s)
                if len(page) < self.options.page and listener in self._behind:
                    self._behind.remove(listener)
                    self._live.append(listener)
                    self._states_read_s = float("-inf")

    def _places(self) -> dict[tuple[RunId | None, int], list[Listener]]:
        places: dict[tuple[RunId | None, int], list[Listener]] = defaultdict(list)
        for listener in self._behind:
            if listener.after is None:
                listener.after = 0 if listener.run_id else self._head
            if listener.takes_a_page:
                places[listener.run_id, listener.after or 0].append(listener)
        return places

    async def _end_what_is_over(self) -> None:
        settle_s, now_s = self.options.settle_s, _now_s()
        watched = {listener.run_id for listener in self._live if listener.run_id is not None}
        if not watched or now_s - self._states_read_s < settle_s:
            return
        controls = await self._stores.runs.controls(sorted(watched))
        self._states_read_s = now_s
        for run_id in watched:
            if run_id in controls and controls[run_id].state.is_final:
                self._over_since_s.setdefault(run_id, now_s)
            else:
                self._over_since_s.pop(run_id, None)
        for listener in self._live:
            over_since_s = self._over_since_s.get(listener.run_id) if listener.run_id else None
            if over_since_s is not None and now_s - max(over_since_s, listener.heard_s) >= settle_s:
                listener.end(Ending.DONE)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
