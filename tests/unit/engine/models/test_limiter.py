"""The limiter finds out how many calls an endpoint bears."""

import asyncio

from assay.engine.models.limiter import AdaptiveLimiter
from tests.builders import ManualClock


async def filled(limiter: AdaptiveLimiter) -> None:
    while limiter.in_flight < limiter.limit:
        await limiter.acquire()


async def test_it_starts_low_and_reaches_the_maximum_by_slow_start() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=64)
    assert limiter.limit == 10
    for _ in range(100):
        await filled(limiter)
        limiter.succeeded(20.0)
        limiter.release()
    assert limiter.limit == 64


async def test_it_does_not_grow_while_its_places_are_not_used() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=64)
    for _ in range(100):
        await limiter.acquire()
        limiter.succeeded(20.0)
        limiter.release()
    assert limiter.limit == 10


async def test_push_back_halves_it_once_for_all_calls_in_flight() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=8)
    for _ in range(5):
        limiter.pushed_back(None)
    assert limiter.limit == 4


async def test_push_back_a_second_later_halves_it_again_but_never_to_zero() -> None:
    clock = ManualClock()
    limiter = AdaptiveLimiter(clock, maximum=8)
    for _ in range(10):
        limiter.pushed_back(None)
        clock.passed_s += 2
    assert limiter.limit == 1


async def test_after_push_back_it_grows_by_one_per_round() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=64)
    limiter.pushed_back(None)
    for _ in range(6):
        await filled(limiter)
        limiter.succeeded(20.0)
        limiter.release()
    assert limiter.limit == 6


async def test_retry_after_holds_back_every_call() -> None:
    clock = ManualClock()
    limiter = AdaptiveLimiter(clock, maximum=8)
    limiter.pushed_back(30.0)
    await limiter.acquire()
    assert clock.passed_s >= 30


async def test_climbing_latency_takes_places_away() -> None:
    clock = ManualClock()
    limiter = AdaptiveLimiter(clock, maximum=100)
    for _ in range(20):
        limiter.succeeded(50.0)
    before = limiter.limit
    for _ in range(60):
        clock.passed_s += 5
        limiter.succeeded(5_000.0)
    assert limiter.limit < before


async def test_a_waiter_gets_the_place_that_is_released() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=1)
    await limiter.acquire()
    waiter = asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0)
    assert not waiter.done()
    limiter.release()
    assert await waiter == 1


async def test_a_cancelled_waiter_leaves_the_queue() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=1)
    await limiter.acquire()
    gone, waiter = asyncio.create_task(limiter.acquire()), asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    limiter.release()
    assert await asyncio.wait_for(waiter, 1) == 1


async def test_never_more_in_flight_than_the_limit() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=5)
    most = 0

    async def call() -> None:
        nonlocal most
        most = max(most, await limiter.acquire())
        await asyncio.sleep(0)
        limiter.succeeded(1.0)
        limiter.release()

    await asyncio.gather(*(call() for _ in range(200)))
    assert most == 5
    assert limiter.in_flight == 0


async def test_the_oldest_shard_goes_first() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=1)
    await limiter.acquire(0)
    order: list[int] = []

    async def call(rank: int) -> None:
        await limiter.acquire(rank)
        order.append(rank)
        limiter.release()

    calls = [asyncio.create_task(call(rank)) for rank in (3, 1, 2)]
    await asyncio.sleep(0)
    limiter.release()
    await asyncio.gather(*calls)
    assert order == [1, 2, 3]


async def test_a_younger_shard_does_not_take_the_place_an_older_one_waits_for() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=1)
    await limiter.acquire(5)
    older = asyncio.create_task(limiter.acquire(1))
    await asyncio.sleep(0)
    limiter.release()
    younger = asyncio.create_task(limiter.acquire(5))
    assert await older == 1
    assert not younger.done()
    limiter.release()
    await younger


async def test_a_place_given_to_a_cancelled_call_goes_to_the_next() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=1)
    await limiter.acquire()
    first, second = (asyncio.create_task(limiter.acquire()) for _ in range(2))
    await asyncio.sleep(0)
    limiter.release()
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 1
    assert limiter.in_flight == 1
