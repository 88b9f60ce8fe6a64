"""Keeps a worker that was frozen from repeating what another worker has done meanwhile."""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping

from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import Item, ItemId
from assay.domain.shard import Shard
from assay.engine.ports import Clock
from assay.engine.stores.attempts import AttemptStore

CHECK_INTERVAL_S = 0.5
# Half the time after which other workers consider a silent worker dead.
FROZEN_AFTER_S = 5.0


class FreezeDetector:
    """Counts how often the event loop stood still for so long that others may have taken over its shards."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_check = clock.monotonic()
        self._freezes = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def freezes(self) -> int:
        if self._task is None:
            self._task = asyncio.create_task(self._check_regularly())
            self._last_check = self._clock.monotonic()
        self._check()
        return self._freezes

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _check_regularly(self) -> None:
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            self._check()

    def _check(self) -> None:
        now = self._clock.monotonic()
        if now - self._last_check > FROZEN_AFTER_S:
            self._freezes += 1
        self._last_check = now


class RemainingAttempts:
    """The attempts of a shard that are not stored; read from the store at first and after each freeze."""

    def __init__(
        self,
        shard: Shard,
        items: Mapping[ItemId, Item],
        keys: Iterable[AttemptKey],
        *,
        attempts: AttemptStore,
        detector: FreezeDetector,
    ) -> None:
        self._shard = shard
        self._attempts = attempts
        self._detector = detector
        self._items = items
        self._keys = deque(keys)
        self._freezes_seen = -1
        self._reading = asyncio.Lock()

    async def next(self) -> tuple[Item, int] | None:
        """The next item and sample to attempt, or None when none is left."""
        if self._detector.freezes != self._freezes_seen:
            await self._drop_stored()
        if not self._keys:
            return None
        key = self._keys.popleft()
        return self._items[key.item_id], key.sample

    async def _drop_stored(self) -> None:
        async with self._reading:
            if (freezes := self._detector.freezes) == self._freezes_seen:
                return
            stored = await self._stored()
            self._keys = deque(key for key in self._keys if key not in stored)
            self._freezes_seen = freezes

    async def _stored(self) -> set[AttemptKey]:
        return await self._attempts.stored_among(
            self._shard.evaluation_id, list(self._keys), verdicts_only=self._shard.retries_missing
        )
