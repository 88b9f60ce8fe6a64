"""Loaded benchmarks, kept for the shards and models that ask for the same one."""

import asyncio
import gc
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future

from assay.engine.planning.plan import PlannedBenchmark

_KEPT = 8
# The attempts in flight are many more objects than the collector waits for by default, and are freed without
# it: looking through them time and again took a tenth of an attempt.
_NEW_OBJECTS = 20_000


class PlanCache:
    """Keyed by the fingerprint: what is equal there is the same items, prompts and grader."""

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
            set_apart()
        self._keep(planned.fingerprint.value, known)

    async def get(self, fingerprint: str, load: Callable[[], PlannedBenchmark]) -> PlannedBenchmark:
        """What is kept, else what `load` gives, off the event loop and once for all who ask meanwhile."""
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
    # Items are freed all the same when they are no longer needed: they are in no cycles.
    set_apart()
    return planned


def set_apart() -> None:
    """Keep the collector from walking through all there is again and again: it held the loop for 0.1 s.

    To be called when modules or items have been loaded, which are here to stay.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
