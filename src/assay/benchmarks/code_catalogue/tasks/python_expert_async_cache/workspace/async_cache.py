"""A cache for asyncio whose callers share loads."""

from __future__ import annotations

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
        raise NotImplementedError

    async def get(self, key: K) -> V:
        """The value of the key, from the cache or from a load that callers share."""
        raise NotImplementedError

    def invalidate(self, key: K) -> bool:
        """Drop the value of the key and detach its load; whether there was either."""
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    async def close(self, *, cancel_pending: bool = False) -> None:
        """Refuse further calls, and wait for the loads under way or cancel them."""
        raise NotImplementedError

    async def __aenter__(self) -> AsyncCache[K, V]:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close(cancel_pending=error is not None)
