"""Simulated time for many tasks that sleep at once."""

import asyncio
from collections.abc import Coroutine
from datetime import datetime, timedelta
from heapq import heappop, heappush
from itertools import count

from tests.builders import NOON


class Timeline:
    """A clock for many sleepers at once: when all of them sleep, the time is that of the first to wake."""

    def __init__(self) -> None:
        self._now_s = 0.0
        self._numbers = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self._now_s)

    def monotonic(self) -> float:
        return self._now_s

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        heappush(self._sleepers, (self._now_s + seconds, next(self._numbers), woken))
        await woken

    async def run(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        while not task.done():
            for _ in range(10):
                await asyncio.sleep(0)
            if self._sleepers and not task.done():
                self._now_s, _, woken = heappop(self._sleepers)
                if not woken.done():
                    woken.set_result(None)
        task.result()
