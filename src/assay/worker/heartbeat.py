"""Shows that this worker lives, from a thread of its own: a busy event loop must not look dead."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine

from assay.domain.errors import StoreError
from assay.engine.fleet.outage import Outage
from assay.engine.stores import Stores
from assay.engine.stores.fleet import Worker

_JOIN_S = 5.0

OpenStores = Callable[[], Coroutine[object, object, Stores]]


class Heartbeat:
    """Stores the worker's row every so many seconds, through a store that belongs to the thread."""

    def __init__(self, row: Callable[[], Worker], *, open_stores: OpenStores, every_s: float) -> None:
        self._row = row
        self._open_stores = open_stores
        self._every_s = every_s
        self._outage = Outage("showing that this worker lives")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="assay-heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=self._every_s + _JOIN_S)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._beat())

    async def _beat(self) -> None:
        stores: Stores | None = None
        try:
            while not self._stop.is_set():
                # A database that is away for a moment is away for every worker.
                with self._outage.tolerated():
                    stores = stores or await self._open_stores()
                    await stores.fleet.heartbeat(self._row())
                await asyncio.to_thread(self._stop.wait, self._every_s)
        finally:
            if stores is not None:
                with contextlib.suppress(StoreError):
                    await stores.close()
