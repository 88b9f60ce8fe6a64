"""Adapts the number of calls in flight to what an endpoint can serve."""

import asyncio
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from assay.engine.models.observed_calls import SMOOTHING, Latency, Slot, Window
from assay.engine.models.quota import Quota
from assay.engine.ports import Clock

_START = 10
# The endpoint takes no call at all if so many in a row, and this share of those sent meanwhile, are refused.
_REFUSED_IN_ROW = 8
_ALL_SHARE = 0.75
# The same for calls above the level that was answered.
_REFUSED_ABOVE = 3
_ABOVE_SHARE = 0.5
# A smaller share of refused calls is no reason to lower the limit.
_TOLERATED_SHARE = 0.05
_LEAST_CALLS = 16
# When a level that was refused is tried again; doubled with every refusal.
_FIRST_PROBE_S, _LAST_PROBE_S = 0.25, 4.0
# Endpoints that take long are tried less often, so that few of all calls are refused.
_CALLS_PER_PROBE_S = 16
_SLOW_BACK_OFF = 0.9
# What counts as slow rises with every decrease, because an endpoint may become slower for good.
_SLOWER_FOR_GOOD = 1.5


class _Trial(NamedTuple):
    """A lower limit that is tried; if as many calls are refused as before, load was not the reason."""

    former_limit: int
    former_share: float


class _Place(NamedTuple):
    """A waiting call; equal ranks are served in order of arrival."""

    rank: int
    number: int
    given: asyncio.Future[None]


class AdaptiveLimiter:
    """Grows while calls are answered, and keeps below the level at which the endpoint refuses them.

    If the endpoint refuses most calls above the level that it has answered, the limit falls to what it took.
    At other levels the share of refused calls counts: if it rises, a lower limit is tried for a round trip,
    and kept only if the share falls with it. Refusals at random thus delay nothing but the refused calls.

    A Retry-After holds for every call once the endpoint refuses all of them. With a quota, a call also waits
    for its share of the calls or tokens per minute.
    """

    def __init__(self, clock: Clock, *, maximum: int, quota: Quota | None = None) -> None:
        self._clock = clock
        self.quota = quota
        self._maximum = maximum
        self.limit = min(_START, maximum)
        self._latency = Latency()
        # The highest level that was answered, and the lowest above it that was refused.
        self._held = 0
        self._refused_level: int | None = None
        self._probe_after_s = _FIRST_PROBE_S
        self._probe_at = 0.0
        self._probe_call = 0
        # The limit before the endpoint served no call at all.
        self._limit_before_outage: int | None = None
        self._last_call = 0
        self._window = Window(1, clock.monotonic())
        # The calls since the first of those that were refused with none answered in between.
        self._row = Window(1, clock.monotonic())
        self._tolerated_share = 0.0
        self._trial: _Trial | None = None
        self._next_decrease_at = 0.0
        self._waiting: list[_Place] = []
        self._numbers = count()
        self._closed_until = 0.0
        self._wakes_soon = False
        # How many of the calls in flight wait for the quota.
        self._held_back = 0
        self.in_flight = 0

    @property
    def maximum(self) -> int:
        return self._maximum

    @maximum.setter
    def maximum(self, value: int) -> None:
        """With 0, calls wait until it is set again."""
        self._maximum = value
        self.limit = min(max(self.limit, 1), value)
        self._wake()

    @property
    def closed_for_s(self) -> float:
        """How long no call is sent, because the endpoint has said so."""
        return max(0.0, self._closed_until - self._clock.monotonic())

    async def acquire(self, rank: int = 0) -> Slot:
        """Wait for a place.

        A lower rank goes first: shards that took turns would all end at once, and leave nothing to do while
        the next are fetched.
        """
        await self._wait_until_open()
        if self.in_flight < self.limit and not (self._waiting and self._waiting[0].rank <= rank):
            self.in_flight += 1
        else:
            await self._wait_for_place(rank)
        if self.quota is not None:
            await self._wait_for_quota(self.quota)
        self._last_call += 1
        return Slot(self._last_call, self._clock.monotonic(), self.in_flight - self._held_back)

    async def _wait_for_quota(self, quota: Quota) -> None:
        """The last step before the call, because a grant of the quota must be used within a second."""
        self._held_back += 1
        try:
            await quota.begin()
            while self.closed_for_s:
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
        if self.in_flight < self.limit:
            self._wake()
        try:
            await place.given
            await self._wait_until_open()
        except asyncio.CancelledError:
            # A place that was not given stays among those that wait, and is passed over.
            if place.given.done() and not place.given.cancelled():
                self._leave()
            raise

    def release(self) -> None:
        if self.quota is not None:
            self.quota.end()
        self._leave()

    def _leave(self) -> None:
        self.in_flight -= 1
        if self._waiting and not self._wakes_soon:
            # Not at once: a task of an older shard that ended a call asks for its next place first.
            self._wakes_soon = True
            asyncio.get_running_loop().call_soon(self._wake)

    def succeeded(self, slot: Slot, ttft_ms: float | None) -> None:
        if ttft_ms is not None:
            self._latency.add(ttft_ms)
        if slot.number >= self._row.first:
            self._row.refused = 0
            self._end_outage()
        if slot.number >= self._window.first:
            self._held = max(self._held, slot.level)
            if self._refused_level is not None and slot.level >= self._refused_level:
                self._refused_level, self._probe_after_s = None, _FIRST_PROBE_S
            self._judge_window()
        if self._latency.is_slow:
            self._decrease_for_latency()
        # Growing while fewer calls are in flight than allowed would measure nothing.
        elif self.in_flight >= self.limit:
            self._grow()

    def pushed_back(self, slot: Slot, retry_after_s: float | None) -> None:
        """The endpoint refused the call because it is too busy."""
        now, row = self._clock.monotonic(), self._row
        if row.refused == 0:
            row = self._row = Window(slot.number, slot.began_at)
        row.refuse(slot, now)
        share = row.share(self._last_call)
        if row.refused >= _REFUSED_IN_ROW and share >= self._above_tolerated(_ALL_SHARE):
            self._refuses_all(share, retry_after_s)
        elif slot.number < self._window.first:
            pass  # the limit was lowered meanwhile
        elif (
            slot.level > self._held
            and row.refused >= _REFUSED_ABOVE
            and share >= self._above_tolerated(_ABOVE_SHARE)
        ):
            self._lower(self.in_flight - 1)
        else:
            self._window.refuse(slot, now)
            self._judge_window()

    def _above_tolerated(self, share: float) -> float:
        return min(1.0, share + self._tolerated_share)

    def _refuses_all(self, share: float, retry_after_s: float | None) -> None:
        if retry_after_s:
            self._closed_until = max(self._closed_until, self._clock.monotonic() + retry_after_s)
            self._begin_window()
        elif self._limit_before_outage is None:
            # The refused call itself is still counted.
            self._try_lower(self.in_flight - 1, share)
            if self.in_flight == 1 and self._trial is not None:
                self._limit_before_outage, self._trial = self._trial.former_limit, None

    def _end_outage(self) -> None:
        """The number of calls was not the reason, so the limit need not be found anew by slow start."""
        if self._limit_before_outage is not None:
            self.limit = min(self._maximum, max(self.limit, self._limit_before_outage // 2))
            self._limit_before_outage = None
            self._begin_window()
            self._wake()

    def _judge_window(self) -> None:
        window, now = self._window, self._clock.monotonic()
        if window.calls(self._last_call) < _LEAST_CALLS or now < window.began_at + self._latency.round_s:
            return
        share, trial = window.share(self._last_call), self._trial
        self._begin_window()
        if trial is not None:
            self._end_trial(trial, share)
        elif share > max(_TOLERATED_SHARE, 2 * self._tolerated_share):
            self._try_lower(self.limit - window.places_refused(now), share)
        else:
            self._tolerated_share += SMOOTHING * (share - self._tolerated_share)

    def _try_lower(self, limit: int, share: float) -> None:
        if self._trial is None:
            self._trial = _Trial(self.limit, share)
        self.limit = self._lowered(limit)
        self._begin_window()

    def _lowered(self, limit: int) -> int:
        """At least one call, where any is allowed."""
        return max(min(1, self._maximum), min(self.limit, limit))

    def _end_trial(self, trial: _Trial, share: float) -> None:
        self._trial = None
        if share > trial.former_share / 2:
            self._tolerated_share = trial.former_share
            self.limit = min(self._maximum, trial.former_limit)
            self._wake()
        else:
            self._lower(self.limit)

    def _lower(self, limit: int) -> None:
        """The endpoint bears no more calls than `limit`."""
        self.limit = self._lowered(limit)
        self._held = min(self._held, self.limit)
        self._refused_level = self.limit + 1
        now = self._clock.monotonic()
        if now >= self._probe_at:
            self._probe_at = now + max(self._probe_after_s, self._latency.round_s)
            self._probe_call = self._last_call + int(_CALLS_PER_PROBE_S * self._probe_after_s)
            self._probe_after_s = min(2 * self._probe_after_s, _LAST_PROBE_S)
        self._trial = None
        self._begin_window()

    def _begin_window(self) -> None:
        self._window = Window(self._last_call + 1, self._clock.monotonic())

    def _grow(self) -> None:
        most = self._maximum
        if self._trial is not None:
            most = self.limit
        elif self._refused_level is not None:
            is_due = self._clock.monotonic() >= self._probe_at and self._last_call >= self._probe_call
            most = min(most, self._refused_level if is_due else self._refused_level - 1)
        if self.limit < most:
            self.limit += 1
            self._wake()

    def _decrease_for_latency(self) -> None:
        now = self._clock.monotonic()
        if now < self._next_decrease_at:
            return
        # Calls already in flight all report the same congestion, so it is counted once.
        self._next_decrease_at = now + max(1.0, self._latency.round_s)
        self._latency.best_ms *= _SLOWER_FOR_GOOD
        self._lower(int(self.limit * _SLOW_BACK_OFF))

    async def _wait_until_open(self) -> None:
        while remaining_s := self.closed_for_s:
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
