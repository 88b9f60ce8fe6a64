"""Values kept for a while, so that asking twice does not cost twice."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """The values of the keys used last."""

    def __init__(self, *, kept: int = 256) -> None:
        self._kept = kept
        self._values: OrderedDict[Hashable, T] = OrderedDict()

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        value = self._values[key] if key in self._values else await make()
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self._kept:
            self._values.popitem(last=False)
        return value


class Fresh(Generic[T]):
    """One value, made anew when it is asked for and older than `for_s`."""

    def __init__(self, make: Callable[[], Awaitable[T]], *, for_s: float) -> None:
        self._make = make
        self._for_s = for_s
        self._making = asyncio.Lock()
        self._made: tuple[float, T] | None = None

    async def get(self) -> T:
        async with self._making:
            if self._made is None or time.monotonic() - self._made[0] > self._for_s:
                self._made = (time.monotonic(), await self._make())
            return self._made[1]
