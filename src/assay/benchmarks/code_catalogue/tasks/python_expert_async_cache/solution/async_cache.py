"""A cache for asyncio whose callers share loads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from types import TracebackType
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class CacheClosedError(RuntimeError):
    """The cache has been closed."""


class AsyncCache(Generic[K, V]):
    """Loads each value once, and keeps it for `ttl` seconds."""

    def __init__(
        self,
        load: Callable[[K], Awaitable[V]],
        *,
        ttl: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if ttl is not None and not ttl > 0:
            raise ValueError(f"ttl must be above zero, not {ttl}")
        self._load = load
        self._ttl = ttl
        self._clock = clock
        # Each with the time at which its load ended.
        self._values: dict[K, tuple[V, float]] = {}
        self._loads: dict[K, asyncio.Task[V]] = {}
        # All loads under way, detached ones too.
        self._tasks: set[asyncio.Task[V]] = set()
        self._is_closed = False

    async def get(self, key: K) -> V:
        """The value of the key, from the cache or from a load that callers share."""
        if self._is_closed:
            raise CacheClosedError("the cache has been closed")
        cached = self._values.get(key)
        if cached is not None and self._is_fresh(cached[1]):
            return cached[0]
        task = self._loads.get(key)
        if task is None:
            task = self._loads[key] = asyncio.create_task(self._run(key))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            task.add_done_callback(_mark_as_retrieved)
        # Unlike awaiting the task, this leaves it alone if the caller is cancelled.
        await asyncio.wait({task})
        if task.cancelled():
            raise CacheClosedError("the cache was closed before the value was loaded")
        return task.result()

    def invalidate(self, key: K) -> bool:
        """Drop the value of the key and detach its load; whether there was either."""
        cached = self._values.pop(key, None)
        detached = self._loads.pop(key, None)
        return detached is not None or (cached is not None and self._is_fresh(cached[1]))

    def __len__(self) -> int:
        return sum(self._is_fresh(loaded_at) for _, loaded_at in self._values.values())

    async def close(self, *, cancel_pending: bool = False) -> None:
        """Refuse further calls, and wait for the loads under way or cancel them."""
        self._is_closed = True
        self._values.clear()
        tasks = set(self._tasks)
        if cancel_pending:
            for task in tasks:
                task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def __aenter__(self) -> AsyncCache[K, V]:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close(cancel_pending=error is not None)

    async def _run(self, key: K) -> V:
        task = asyncio.current_task()
        try:
            value = await self._load(key)
            if self._loads.get(key) is task and not self._is_closed:
                self._values[key] = (value, self._clock())
            return value
        finally:
            if self._loads.get(key) is task:
                del self._loads[key]

    def _is_fresh(self, loaded_at: float) -> bool:
        return self._ttl is None or self._clock() - loaded_at < self._ttl


def _mark_as_retrieved(task: asyncio.Task[V]) -> None:
    """Keep the event loop from reporting a failure that no caller has waited for."""
    if not task.cancelled():
        task.exception()
