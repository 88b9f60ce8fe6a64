"""The limiter finds out how many calls an endpoint bears."""

import asyncio

from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.observed_calls import Slot
from tests.builders import ManualClock


async def filled(limiter: AdaptiveLimiter) -> Slot:
    """Take the free places; gives the last."""
    slot = Slot(1, 0.0, 1)
    while limiter.in_flight < limiter.limit:
        slot = await limiter.acquire()
    return slot


async def test_it_starts_low_and_reaches_the_maximum_by_slow_start() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=64)
    assert limiter.limit == 10
    for _ in range(100):
        limiter.succeeded(await filled(limiter), 20.0)
        limiter.release()
    assert limiter.limit == 64


async def test_it_does_not_grow_while_its_places_are_not_used() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=64)
    for _ in range(100):
        limiter.succeeded(await limiter.acquire(), 20.0)
        limiter.release()
    assert limiter.limit == 10


async def test_the_first_refusals_above_what_was_answered_lower_it() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=8)
    slots = [await limiter.acquire() for _ in range(8)]
    for slot in slots[:4]:
        limiter.pushed_back(slot, None)
        limiter.release()
    assert limiter.limit == 4


async def test_a_refusal_at_a_level_that_was_answered_delays_nobody_else() -> None:
    clock = ManualClock()
    limiter = AdaptiveLimiter(clock, maximum=8)
    for number in range(40):
        slots = [await limiter.acquire() for _ in range(8)]
        for slot in slots:
            if number % 20 == 1 and slot.level == 3:
                limiter.pushed_back(slot, 30.0)
            else:
                limiter.succeeded(slot, 20.0)
            limiter.release()
        clock.passed_s += 0.02
    assert limiter.limit == 8
    assert clock.passed_s < 1


async def test_retry_after_holds_back_every_call_once_all_are_refused() -> None:
    clock = ManualClock()
    limiter = AdaptiveLimiter(clock, maximum=8)
    for slot in [await limiter.acquire() for _ in range(8)]:
        limiter.pushed_back(slot, 30.0)
        limiter.release()
    assert limiter.closed_for_s == 30
    await limiter.acquire()
    assert clock.passed_s >= 30


async def test_climbing_latency_takes_places_away() -> None:
    clock = ManualClock()
    limiter = AdaptiveLimiter(clock, maximum=100)
    slot = await limiter.acquire()
    for _ in range(20):
        limiter.succeeded(slot, 50.0)
    before = limiter.limit
    for _ in range(60):
        clock.passed_s += 5
        limiter.succeeded(slot, 5_000.0)
    assert limiter.limit < before


async def test_a_waiter_gets_the_place_that_is_released() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=1)
    await limiter.acquire()
    waiter = asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0)
    assert not waiter.done()
    limiter.release()
    assert (await waiter).level == 1


async def test_a_cancelled_waiter_leaves_the_queue() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=1)
    await limiter.acquire()
    gone, waiter = asyncio.create_task(limiter.acquire()), asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    limiter.release()
    assert (await asyncio.wait_for(waiter, 1)).level == 1


async def test_never_more_in_flight_than_the_limit() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=5)
    most = 0

    async def call() -> None:
        nonlocal most
        slot = await limiter.acquire()
        most = max(most, slot.level)
        await asyncio.sleep(0)
        limiter.succeeded(slot, 1.0)
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
    assert (await older).level == 1
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
    assert (await second).level == 1
    assert limiter.in_flight == 1


async def test_calls_wait_while_none_is_allowed() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=0)
    waiter = asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0)
    assert not waiter.done()
    limiter.maximum = 2
    slot = await asyncio.wait_for(waiter, 1)
    limiter.maximum = 0
    limiter.pushed_back(slot, None)
    limiter.release()
    assert limiter.limit == 0
    limiter.maximum = 1
    assert (await asyncio.wait_for(limiter.acquire(), 1)).level == 1


async def test_a_waiter_that_gave_up_does_not_keep_others_from_free_places() -> None:
    limiter = AdaptiveLimiter(ManualClock(), maximum=1)
    await limiter.acquire()
    gone = asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0)
    gone.cancel()
    limiter.release()
    assert (await asyncio.wait_for(limiter.acquire(), 1)).level == 1
