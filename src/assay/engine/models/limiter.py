"""Adapts the number of calls in flight to what an endpoint can serve."""

import asyncio
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count
from typing import NamedTuple

from assay.engine.models.quota import Quota
from assay.engine.ports import Clock

_START = 10
_BACK_OFF = 0.5
_SLOW_BACK_OFF = 0.9
_SLOW_FACTOR = 3.0
_SLOW_SLACK_MS = 250.0
_SMOOTHING = 0.1


@dataclass(slots=True)
class _Latency:
    """Smoothed time to the first token, and its minimum."""

    smoothed_ms: float | None = None
    best_ms: float = float("inf")

    def add(self, ttft_ms: float) -> None:
        if self.smoothed_ms is None:
            self.smoothed_ms = ttft_ms
        self.smoothed_ms += _SMOOTHING * (ttft_ms - self.smoothed_ms)
        self.best_ms = min(self.best_ms, self.smoothed_ms)

    @property
    def is_slow(self) -> bool:
        return (
            self.smoothed_ms is not None and self.smoothed_ms > _SLOW_FACTOR * self.best_ms + _SLOW_SLACK_MS
        )


class _Place(NamedTuple):
    """A waiting call; equal ranks are served in order of arrival."""

    rank: int
    number: int
    given: asyncio.Future[None]


class AdaptiveLimiter:
    """Slow start, then one more per round; half on push-back, less while latency climbs.

    A Retry-After of one call delays every call to the endpoint. With a quota, a call also waits for its share
    of the calls or tokens per minute.
    """

    def __init__(self, clock: Clock, *, maximum: int, quota: Quota | None = None) -> None:
        self._clock = clock
        self.quota = quota
        self._maximum = maximum
        self._limit = float(min(_START, maximum))
        self.limit = int(self._limit)
        self._is_starting = True
        self._latency = _Latency()
        self._waiting: list[_Place] = []
        self._numbers = count()
        self._closed_until = 0.0
        self._next_decrease_at = 0.0
        self._wakes_soon = False
        # How many of the calls in flight wait for the quota.
        self._held_back = 0
        self.in_flight = 0

    @property
    def maximum(self) -> int:
        return self._maximum

    @maximum.setter
    def maximum(self, value: int) -> None:
        self._maximum = value
        self._set_limit(min(self._limit, value))
        self._wake()

    async def acquire(self, rank: int = 0) -> int:
        """Wait for a place; returns how many calls are then in flight.

        A lower rank goes first: shards that took turns would all end at once, and leave nothing to do while
        the next are fetched.
        """
        if self._closed_until:
            await self._wait_until_open()
        if self.in_flight < self.limit and not (self._waiting and self._waiting[0].rank < rank):
            self.in_flight += 1
        else:
            await self._wait_for_place(rank)
        if self.quota is not None:
            await self._wait_for_quota(self.quota)
        return self.in_flight - self._held_back

    async def _wait_for_quota(self, quota: Quota) -> None:
        """The last step before the call, because a grant of the quota must be used within a second."""
        self._held_back += 1
        try:
            await quota.begin()
            while self._closed_until > self._clock.monotonic():
                quota.end()
                await self._wait_until_open()
                await quota.begin()
        except BaseException:
            self._leave()
            raise
        finally:
            self._held_back -= 1

    async def _wait_for_place(self, rank: int) -> None:
        place = _Place(rank, next(self._numbers), asyncio.get_running_loop().create_future())
        heappush(self._waiting, place)
        try:
            await place.given
            await self._wait_until_open()
        except asyncio.CancelledError:
            if place.given.done() and not place.given.cancelled():
                self._leave()
            else:
                self._forget(place)
            raise

    def release(self) -> None:
        if self.quota is not None:
            self.quota.end()
        self._leave()

    def _leave(self) -> None:
        self.in_flight -= 1
        if self._waiting and not self._wakes_soon:
            # Whoever ended a call mostly begins the next one right away: places that are left go to others.
            self._wakes_soon = True
            asyncio.get_running_loop().call_soon(self._wake)

    def succeeded(self, ttft_ms: float | None) -> None:
        if ttft_ms is not None:
            self._latency.add(ttft_ms)
        if self._latency.is_slow:
            self._decrease(_SLOW_BACK_OFF)
            return
        # Growing while fewer calls are in flight than allowed would measure nothing.
        if self._limit < self._maximum and self.in_flight >= self.limit:
            more = 1.0 if self._is_starting else 1.0 / self._limit
            self._set_limit(min(self._maximum, self._limit + more))
            self._wake()

    def pushed_back(self, retry_after_s: float | None) -> None:
        """The endpoint answered that it is too busy."""
        if retry_after_s:
            self._closed_until = max(self._closed_until, self._clock.monotonic() + retry_after_s)
        self._decrease(_BACK_OFF)

    def _decrease(self, factor: float) -> None:
        now = self._clock.monotonic()
        if now < self._next_decrease_at:
            return
        # Calls already in flight all report the same congestion, so it is counted once.
        self._next_decrease_at = now + max(1.0, (self._latency.smoothed_ms or 0.0) / 1000)
        self._is_starting = False
        self._set_limit(max(1.0, self._limit * factor))

    def _set_limit(self, value: float) -> None:
        self._limit = value
        self.limit = max(1, int(value))

    async def _wait_until_open(self) -> None:
        while (remaining_s := self._closed_until - self._clock.monotonic()) > 0:
            await self._clock.sleep(remaining_s)

    def _wake(self) -> None:
        self._wakes_soon = False
        free = self.limit - self.in_flight
        while free > 0 and self._waiting:
            place = heappop(self._waiting)
            if not place.given.done():
                # Counted at once, so that no other call takes the place before the waiting one runs.
                self.in_flight += 1
                place.given.set_result(None)
                free -= 1

    def _forget(self, place: "_Place") -> None:
        if place in self._waiting:
            self._waiting.remove(place)
            heapify(self._waiting)
