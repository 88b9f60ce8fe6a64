"""Shows that this worker lives, from a thread of its own: a busy event loop must not look dead."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine

from assay.domain.errors import StoreError
from assay.engine.stores import Stores
from assay.engine.stores.fleet import Worker

_log = logging.getLogger(__name__)
_JOIN_S = 5.0

OpenStores = Callable[[], Coroutine[object, object, Stores]]


class Heartbeat:
    """Stores the worker's row every so many seconds, through a store that belongs to the thread."""

    def __init__(self, row: Callable[[], Worker], *, open_stores: OpenStores, every_s: float) -> None:
        self._row = row
        self._open_stores = open_stores
        self._every_s = every_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="assay-heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=self._every_s + _JOIN_S)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            while not self._stop.is_set():
                # A database that is away for a moment is away for every worker: try again.
                try:
                    runner.run(self._beat_until_failure())
                except StoreError as error:
                    _log.warning("heartbeat failed: %s", error.message)
                    self._stop.wait(self._every_s)

    async def _beat_until_failure(self) -> None:
        stores = await self._open_stores()
        try:
            while not self._stop.is_set():
                await stores.fleet.heartbeat(self._row())
                await asyncio.to_thread(self._stop.wait, self._every_s)
        finally:
            with contextlib.suppress(StoreError):
                await stores.close()
