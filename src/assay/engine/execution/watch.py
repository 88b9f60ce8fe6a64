"""Keeps a worker that was frozen from doing again what another has done in the meantime."""

import asyncio
from collections import deque

from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import Item
from assay.domain.shard import Shard
from assay.engine.execution.runs import Engine
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.ports import Clock

TICK_S = 0.5
# Half the time after which others take a silent worker for dead.
FROZEN_AFTER_S = 5.0


class FreezeDetector:
    """Counts how often the event loop stood still for so long that others may have taken over."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_tick = clock.monotonic()
        self._thaws = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def thaws(self) -> int:
        if self._task is None:
            self._task = asyncio.create_task(self._tick())
            self._last_tick = self._clock.monotonic()
        self._look()
        return self._thaws

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._look()

    def _look(self) -> None:
        now = self._clock.monotonic()
        if now - self._last_tick > FROZEN_AFTER_S:
            self._thaws += 1
        self._last_tick = now


class Backlog:
    """The attempts of a shard that are not stored; read from the store at first, and after each thaw."""

    def __init__(
        self, engine: Engine, shard: Shard, planned: PlannedBenchmark, detector: FreezeDetector
    ) -> None:
        self._engine = engine
        self._shard = shard
        self._detector = detector
        self._items = planned.by_id
        self._left = deque(shard.keys(planned.item_ids))
        self._thaws_seen = -1
        self._reading = asyncio.Lock()

    async def following(self) -> tuple[Item, int] | None:
        if self._detector.thaws != self._thaws_seen:
            await self._reread()
        if not self._left:
            return None
        key = self._left.popleft()
        return self._items[key.item_id], key.sample

    async def _reread(self) -> None:
        async with self._reading:
            if (thaws := self._detector.thaws) == self._thaws_seen:
                return
            stored = await self._stored()
            self._left = deque(key for key in self._left if key not in stored)
            self._thaws_seen = thaws

    async def _stored(self) -> set[AttemptKey]:
        return await self._engine.stores.attempts.stored_among(
            self._shard.evaluation_id, list(self._left), verdicts_only=self._shard.retries_missing
        )
