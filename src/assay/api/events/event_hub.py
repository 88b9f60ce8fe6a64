"""Live events for any number of listeners, with one task that reads the store."""

import asyncio
import contextlib
import logging
from collections import defaultdict, deque
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto

from assay.api.schemas.events import frame
from assay.domain.access.visibility import Viewer
from assay.domain.errors import StoreError
from assay.domain.event import Event
from assay.domain.run import RunId
from assay.engine.stores import Stores

_log = logging.getLogger(__name__)


class Ending(Enum):
    """Why a listener receives no more events."""

    DONE = auto()
    """The run is over and the listener has every event."""
    CUT_OFF = auto()
    """The listener fell behind, or the server stops; the client resumes after its last event."""


@dataclass(frozen=True, slots=True)
class HubOptions:
    """`settle_s` is how long a finished run must have no new event before its streams end.

    The state of a run is stored before the event about it, and other workers may report later still.
    """

    poll_s: float = 0.25
    settle_s: float = 1.0
    keep_alive_s: float = 15.0
    page: int = 500
    buffer: int = 2_000


class Listener:
    """Events to send to one client; `after` is the id of the last event that was added."""

    def __init__(
        self, run_id: RunId | None, after: int | None, options: HubOptions, viewer: Viewer | None
    ) -> None:
        self.run_id = run_id
        self.viewer = viewer
        self.after = after
        self.ending: Ending | None = None
        self.last_event_s = 0.0
        self._options = options
        self._frames: deque[bytes] = deque()
        self._changed = asyncio.Event()

    @property
    def has_room(self) -> bool:
        return self.ending is None and len(self._frames) + self._options.page <= self._options.buffer

    def add(self, events: Iterable[tuple[Event, bytes]], *, now_s: float, seen: Collection[RunId]) -> None:
        """Add new events of the runs that are seen.

        A listener whose buffer is full is cut off rather than skipping an event.
        """
        for event, encoded in events:
            if self.ending is not None or event.id is None or event.id <= (self.after or 0):
                continue
            if self.run_id not in (None, event.run_id):
                continue
            if event.run_id not in seen:
                self.after = event.id
                continue
            if len(self._frames) >= self._options.buffer:
                self.end(Ending.CUT_OFF)
                return
            self._frames.append(encoded)
            self.after, self.last_event_s = event.id, now_s
            self._changed.set()

    def end(self, ending: Ending) -> None:
        self.ending = self.ending or ending
        self._changed.set()

    async def frames(self, *, timeout_s: float) -> bytes:
        """Events that have arrived, waiting up to `timeout_s`; empty after that time or at the end."""
        if not self._frames and self.ending is None:
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await self._changed.wait()
        waiting = b"".join(self._frames)
        self._frames.clear()
        return waiting


class EventHub:
    """Reads the store in one task while there are listeners, for new events and for history."""

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
        self,
        run_id: RunId | None,
        *,
        after: int | None,
        is_long_over: bool = False,
        viewer: Viewer | None = None,
    ) -> Generator[Listener]:
        """Listen to one run or to all that the viewer sees; without `after`, to all runs from now on.

        `is_long_over` skips the wait for the last events of a run that ended some time ago.
        """
        listener = Listener(run_id, after, self.options, viewer)
        listener.last_event_s = float("-inf") if is_long_over else _now_s()
        if is_long_over and run_id is not None:
            self._over_since_s.setdefault(run_id, float("-inf"))
        self._behind.append(listener)
        self._start()
        try:
            yield listener
        finally:
            self._remove(listener)

    def close(self) -> None:
        """Cut off every listener; their clients resume when the server is back."""
        for listener in (*self._behind, *self._live):
            listener.end(Ending.CUT_OFF)

    def _start(self) -> None:
        if self._task is None or self._task.done():
            self._wake, self._head = asyncio.Event(), None
            self._task = asyncio.create_task(self._read())
        self._wake.set()

    def _remove(self, listener: Listener) -> None:
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
                if not any(listener.has_room for listener in self._behind):
                    await self._pause()
        except Exception:
            # A bug must not leave the listeners waiting for ever.
            self.close()
            raise

    async def _step(self) -> None:
        try:
            if self._head is None:
                self._head = await self._stores.events.newest_id()
            await self._follow(self._head)
            await self._catch_up()
            await self._end_finished()
        except StoreError as error:
            # The store may be unavailable for a moment: the listeners wait.
            _log.warning("reading events failed: %s", error.message)
            await self._pause()

    async def _pause(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.options.poll_s):
                await self._wake.wait()

    async def _follow(self, head: int) -> None:
        """Add new events to the listeners that have all earlier ones."""
        while page := await self._stores.events.page(None, after=head, limit=self.options.page):
            encoded = [(event, frame(event)) for event in page]
            seen = await self._seen(page, self._live)
            for listener in self._live:
                listener.add(encoded, now_s=_now_s(), seen=seen.get(listener.viewer, ()))
            self._head = head = page[-1].id or head

    async def _catch_up(self) -> None:
        """Add a page of history to each listener; those at the same event share one query."""
        for (run_id, after), listeners in self._positions().items():
            page = await self._stores.events.page(run_id, after=after, limit=self.options.page)
            encoded = [(event, frame(event)) for event in page]
            seen = await self._seen(page, listeners)
            for listener in listeners:
                # Old events do not delay the end of the stream.
                listener.add(encoded, now_s=listener.last_event_s, seen=seen.get(listener.viewer, ()))
                if len(page) < self.options.page and listener in self._behind:
                    self._behind.remove(listener)
                    self._live.append(listener)
                    self._states_read_s = float("-inf")

    async def _seen(
        self, page: Sequence[Event], listeners: Iterable[Listener]
    ) -> Mapping[Viewer | None, Collection[RunId]]:
        """The runs of these events that each viewer sees."""
        run_ids = {event.run_id for event in page}
        return {
            viewer: await self._stores.runs.seen_by(viewer).seen(run_ids)
            for viewer in {listener.viewer for listener in listeners}
        }

    def _positions(self) -> dict[tuple[RunId | None, int], list[Listener]]:
        positions: dict[tuple[RunId | None, int], list[Listener]] = defaultdict(list)
        for listener in self._behind:
            if listener.after is None:
                listener.after = 0 if listener.run_id else self._head
            if listener.has_room:
                positions[listener.run_id, listener.after or 0].append(listener)
        return positions

    async def _end_finished(self) -> None:
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
            if over_since_s is not None and now_s - max(over_since_s, listener.last_event_s) >= settle_s:
                listener.end(Ending.DONE)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
