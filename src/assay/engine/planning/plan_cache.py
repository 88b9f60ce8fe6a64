"""Keeps the benchmarks that were loaded last, for all shards and models that use them."""

import asyncio
import gc
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future

from assay.engine.planning.plan import PlannedBenchmark

_KEPT = 8
# The attempts in flight are many more objects than the collector's default threshold, and are freed by
# reference counting: collections took a tenth of the time of an attempt.
_NEW_OBJECTS = 20_000


class PlanCache:
    """Keyed by fingerprint: an equal fingerprint means the same items, prompts and grader."""

    def __init__(self) -> None:
        self._plans: OrderedDict[str, asyncio.Task[PlannedBenchmark] | Future[PlannedBenchmark]] = (
            OrderedDict()
        )

    def __contains__(self, fingerprint: str) -> bool:
        return fingerprint in self._plans

    def put(self, planned: PlannedBenchmark) -> None:
        known: Future[PlannedBenchmark] = Future()
        known.set_result(planned)
        if planned.fingerprint.value not in self:
            freeze_loaded_objects()
        self._keep(planned.fingerprint.value, known)

    async def get(self, fingerprint: str, load: Callable[[], PlannedBenchmark]) -> PlannedBenchmark:
        """The cached plan, else what `load` returns; it runs in a thread, once for all who wait for it."""
        known = self._plans.get(fingerprint)
        if known is None or (known.done() and (known.cancelled() or known.exception())):
            known = asyncio.create_task(asyncio.to_thread(_loaded, load))
        self._keep(fingerprint, known)
        if isinstance(known, Future):
            return known.result()
        return await asyncio.shield(known)

    def _keep(
        self, fingerprint: str, plan: "asyncio.Task[PlannedBenchmark] | Future[PlannedBenchmark]"
    ) -> None:
        self._plans[fingerprint] = plan
        self._plans.move_to_end(fingerprint)
        while len(self._plans) > _KEPT:
            self._plans.popitem(last=False)


def _loaded(load: Callable[[], PlannedBenchmark]) -> PlannedBenchmark:
    planned = load()
    # Items are still freed when they are no longer needed: they are in no reference cycles.
    freeze_loaded_objects()
    return planned


def freeze_loaded_objects() -> None:
    """Exclude existing objects from garbage collection, which blocked the event loop for 0.1 s.

    Called after modules or items were loaded, which live long.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
