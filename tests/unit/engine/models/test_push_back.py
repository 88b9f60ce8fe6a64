"""How fast calls get through an endpoint that refuses some of them, in simulated time."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from assay.domain.errors import RateLimitedError
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.retry import RetryPolicy, next_delay_s
from tests.timeline import Timeline

LATENCY_S = 0.2
NETWORK_S = 0.001
CONNECTIONS = 64
RANDOM = random.Random(1)  # noqa: S311 # not for secrets


class Endpoint:
    """`capacity` may change; `refuses` decides by chance; both refuse at once."""

    def __init__(
        self,
        clock: Timeline,
        *,
        capacity: int = CONNECTIONS,
        refuses: Callable[[], bool] = lambda: False,
        retry_after_s: float | None = None,
    ) -> None:
        self._clock = clock
        self.capacity = capacity
        self.latency_s = LATENCY_S
        self.first_token_s: float | None = None
        self._refuses = refuses
        self._retry_after_s = retry_after_s
        self._in_flight = 0
        self.answered = self.refused = 0
        self.began: list[float] = []

    async def call(self) -> None:
        self.began.append(self._clock.monotonic())
        await self._clock.sleep(NETWORK_S)
        if self._in_flight >= self.capacity or self._refuses():
            self.refused += 1
            await self._clock.sleep(NETWORK_S)
            raise RateLimitedError("busy", retry_after_s=self._retry_after_s)
        self._in_flight += 1
        await self._clock.sleep(self.latency_s * RANDOM.uniform(0.9, 1.1))
        self._in_flight -= 1
        self.answered += 1
        await self._clock.sleep(NETWORK_S)


class Load:
    """Attempts without end, each repeated until it is answered."""

    def __init__(self, clock: Timeline, endpoint: Endpoint) -> None:
        self.clock, self.endpoint = clock, endpoint
        self.limiter = AdaptiveLimiter(clock, maximum=CONNECTIONS)
        self.tasks = [asyncio.create_task(self._work()) for _ in range(2 * CONNECTIONS)]

    async def _work(self) -> None:
        while True:
            tries = 1
            while (delay_s := await self._try(tries)) is not None:
                await self.clock.sleep(delay_s * RANDOM.uniform(1, 1.25))
                tries += 1

    async def _try(self, tries: int) -> float | None:
        """Seconds until the next try, if the call is refused."""
        slot = await self.limiter.acquire()
        try:
            await self.endpoint.call()
        except RateLimitedError as error:
            self.limiter.pushed_back(slot, error.retry_after_s)
            return next_delay_s(RetryPolicy(), error, tries=tries, elapsed_s=0.0)
        else:
            first_token_s = self.endpoint.first_token_s or self.endpoint.latency_s
            self.limiter.succeeded(slot, first_token_s * 1000)
            return None
        finally:
            self.limiter.release()

    async def run(self, seconds: float) -> tuple[float, float]:
        """Answers per second, and the share of refused calls, from now on."""
        before = self.endpoint.answered, self.endpoint.refused
        await self.clock.run(self.clock.sleep(seconds))
        answered, refused = self.endpoint.answered - before[0], self.endpoint.refused - before[1]
        return answered / seconds, refused / max(1, answered + refused)


@pytest.fixture
def clock() -> Timeline:
    RANDOM.seed(1)
    return Timeline()


@asynccontextmanager
async def loads(clock: Timeline, endpoint: Endpoint, count: int = 1) -> AsyncGenerator[list[Load]]:
    found = [Load(clock, endpoint) for _ in range(count)]
    await asyncio.sleep(0)
    try:
        yield found
    finally:
        for load in found:
            for task in load.tasks:
                task.cancel()
            await asyncio.gather(*load.tasks, return_exceptions=True)


async def settled(clock: Timeline, endpoint: Endpoint) -> tuple[float, float]:
    async with loads(clock, endpoint) as (load,):
        await load.run(8)
        return await load.run(8)


@pytest.mark.parametrize("retry_after_s", [None, 1.0])
@pytest.mark.parametrize(("share", "least"), [(0.05, 0.9), (0.2, 0.65), (0.5, 0.1)])
async def test_refusals_at_random_delay_only_the_refused_calls(
    clock: Timeline, share: float, least: float, retry_after_s: float | None
) -> None:
    rate, _refused = await settled(
        clock, Endpoint(clock, refuses=lambda: RANDOM.random() < share, retry_after_s=retry_after_s)
    )
    assert rate >= least * CONNECTIONS / LATENCY_S


@pytest.mark.parametrize("capacity", [8, 20, 40])
async def test_a_true_limit_is_used_up_and_hardly_exceeded(clock: Timeline, capacity: int) -> None:
    rate, refused = await settled(clock, Endpoint(clock, capacity=capacity))
    assert rate >= 0.95 * capacity / LATENCY_S
    assert refused <= 0.05


@pytest.mark.parametrize("capacity", [4, 20])
async def test_the_limit_of_a_slow_endpoint_is_hardly_exceeded(clock: Timeline, capacity: int) -> None:
    endpoint = Endpoint(clock, capacity=capacity)
    endpoint.latency_s, endpoint.first_token_s = 20.0, 0.3
    async with loads(clock, endpoint) as (load,):
        await load.run(800)
        rate, refused = await load.run(800)
    assert rate >= 0.95 * capacity / endpoint.latency_s
    assert refused <= 0.05


async def test_a_limit_is_found_under_refusals_at_random(clock: Timeline) -> None:
    rate, refused = await settled(clock, Endpoint(clock, capacity=20, refuses=lambda: RANDOM.random() < 0.05))
    assert rate >= 0.9 * 20 / LATENCY_S
    assert refused <= 0.15


async def test_two_workers_share_a_limit(clock: Timeline) -> None:
    endpoint = Endpoint(clock, capacity=40)
    async with loads(clock, endpoint, 2) as (first, second):
        await first.run(10)
        rate, refused = await first.run(15)
        assert rate >= 0.9 * 40 / LATENCY_S
        assert refused <= 0.1
        assert min(first.limiter.limit, second.limiter.limit) >= 5


async def test_a_limit_that_falls_and_rises_is_found_again(clock: Timeline) -> None:
    endpoint = Endpoint(clock)
    async with loads(clock, endpoint) as (load,):
        await load.run(5)
        for capacity in (8, CONNECTIONS):
            endpoint.capacity = capacity
            await load.run(8)
            rate, refused = await load.run(2)
            assert rate >= 0.9 * capacity / LATENCY_S
            assert refused <= 0.1


async def test_no_call_is_sent_while_the_endpoint_refuses_all_and_says_how_long(
    clock: Timeline,
) -> None:
    endpoint = Endpoint(clock, retry_after_s=30.0)
    async with loads(clock, endpoint) as (load,):
        await load.run(5)
        endpoint.capacity = 0
        await load.run(1)
        sent = len(endpoint.began)
        await load.run(28.5)
        assert len(endpoint.began) == sent
        endpoint.capacity = CONNECTIONS
        await load.run(3)
        rate, _refused = await load.run(5)
        assert rate >= 0.9 * CONNECTIONS / LATENCY_S


async def test_an_endpoint_that_serves_no_call_for_a_moment_gets_many_again(clock: Timeline) -> None:
    endpoint = Endpoint(clock)
    async with loads(clock, endpoint) as (load,):
        await load.run(5)
        for _ in range(4):
            endpoint.capacity = 0
            await load.run(5)
            endpoint.capacity = CONNECTIONS
            # Each call waits for up to eight seconds, as it would without a limit for all.
            rate, _refused = await load.run(5)
            assert rate >= 0.3 * CONNECTIONS / LATENCY_S


async def test_an_endpoint_that_became_slower_for_good_still_gets_calls(clock: Timeline) -> None:
    endpoint = Endpoint(clock)
    async with loads(clock, endpoint) as (load,):
        await load.run(5)
        endpoint.latency_s = 20 * LATENCY_S
        await load.run(120)
        assert load.limiter.limit > CONNECTIONS / 2
