import asyncio
from collections.abc import Callable, Iterator
from itertools import cycle, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.calls.messages import Completion, Generation, Prompt, Usage
from assay.domain.calls.quota import Claim, Grant, granted
from assay.domain.errors import StoreError
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.quota import EndpointLimits, Quota, Quotas, tokens_used
from assay.engine.ports import Request
from tests.builders import ManualClock
from tests.timeline import Timeline

REQUEST = Request(Prompt.of_user("why?"), Generation())


class TimedQuotas:
    """Grants by the clock of the test; a database would go by its own."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._free_at: dict[tuple[str, str], float] = {}

    async def grant(self, claim: Claim) -> Grant:
        place, now = (claim.endpoint, claim.unit), self._now()
        found, self._free_at[place] = granted(claim, free_at=self._free_at.get(place, now), now=now)
        return found


class CountingQuotas(TimedQuotas):
    def __init__(self, clock: Timeline) -> None:
        super().__init__(clock.monotonic)
        self.claims = 0

    async def grant(self, claim: Claim) -> Grant:
        self.claims += 1
        return await super().grant(claim)


async def call_for(
    quota: Quota, clock: Timeline, until_s: float, *, takes_s: float, tokens: Iterator[int]
) -> list[tuple[float, int]]:
    """Calls one after the other; when each began, and what it took."""
    made: list[tuple[float, int]] = []
    while clock.monotonic() < until_s:
        await quota.begin()
        made.append((clock.monotonic(), next(tokens)))
        await clock.sleep(takes_s)
        usage = Usage(input_tokens=made[-1][1], output_tokens=0)
        quota.answered(REQUEST, Completion("so", usage=usage))
        quota.end()
    return made


async def calls_of(
    limits: EndpointLimits,
    *,
    processes: int,
    callers: int,
    until_s: float,
    tokens: list[int],
    takes_s: float = 0.3,
) -> tuple[list[tuple[float, int]], int]:
    clock = Timeline()
    store = CountingQuotas(clock)
    quotas = [Quotas(limits, store=store, clock=clock).of("here") for _ in range(processes)]
    found: list[tuple[float, int]] = []
    sizes = cycle(tokens)

    async def work() -> None:
        everyone = [
            call_for(quota, clock, until_s, takes_s=takes_s, tokens=sizes) for quota in quotas * callers
        ]
        for made in await asyncio.gather(*everyone):
            found.extend(made)

    await clock.run(work())
    return sorted(found), store.claims


def most_within_a_minute(calls: list[tuple[float, int]]) -> int:
    return max(sum(size for at, size in calls if start <= at < start + 60) for start, _ in calls)


@settings(max_examples=25, deadline=None)
@given(
    per_minute=st.integers(1, 900),
    processes=st.integers(1, 4),
    callers=st.integers(1, 6),
    takes_s=st.sampled_from([0.0, 0.05, 0.7, 5.0]),
)
async def test_no_minute_sees_more_calls_than_the_limit(
    per_minute: int, processes: int, callers: int, takes_s: float
) -> None:
    limits = EndpointLimits(requests_per_minute=per_minute)
    made, _ = await calls_of(
        limits, processes=processes, callers=callers, until_s=70, tokens=[1], takes_s=takes_s
    )
    assert most_within_a_minute([(at, 1) for at, _ in made]) <= per_minute


@pytest.mark.parametrize("processes", [1, 3])
async def test_what_the_endpoint_bears_is_nearly_used_up(processes: int) -> None:
    limits = EndpointLimits(requests_per_minute=600)
    made, claims = await calls_of(limits, processes=processes, callers=8, until_s=60, tokens=[1])
    assert len(made) > 0.93 * 600
    assert claims < 2.5 * 60 * processes


async def test_tokens_are_kept_to_though_they_are_known_only_afterwards() -> None:
    tokens = [200, 4000, 700, 1500, 100]
    limits = EndpointLimits(tokens_per_minute=60_000)
    made, _ = await calls_of(limits, processes=2, callers=4, until_s=180, tokens=tokens, takes_s=2)
    assert most_within_a_minute(made) <= 60_000 + 8 * max(tokens)
    assert sum(size for _, size in made) == pytest.approx(3 * 60_000, rel=0.12)


async def test_a_call_that_takes_more_than_a_minute_bears_is_paid_off_before_the_next() -> None:
    limits = EndpointLimits(tokens_per_minute=100)
    made, _ = await calls_of(limits, processes=1, callers=1, until_s=400, tokens=[250])
    gaps = [later - sooner for (sooner, _), (later, _) in pairwise(made)]
    assert len(made) > 2
    assert min(gaps) > 150


async def test_the_first_calls_do_not_all_go_out_before_one_has_told_what_it_takes() -> None:
    made, _ = await calls_of(
        EndpointLimits(tokens_per_minute=1000), processes=1, callers=20, until_s=30, tokens=[10], takes_s=20
    )
    assert len([at for at, _ in made if at < 10]) <= 9


async def test_a_wait_that_is_given_up_costs_nobody_else_his_turn() -> None:
    clock = ManualClock()
    quota = Quotas(EndpointLimits(requests_per_minute=1), store=TimedQuotas(clock.monotonic), clock=clock).of(
        "here"
    )
    limiter = AdaptiveLimiter(clock, maximum=4, quota=quota)
    assert (await limiter.acquire()).level == 1
    waiting = asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert limiter.in_flight == 1
    assert (await limiter.acquire()).level == 2
    assert clock.passed_s >= 60


class BrokenStore:
    async def grant(self, claim: Claim) -> Grant:
        raise StoreError(f"no database for {claim.endpoint!r}")


async def test_a_lost_store_ends_the_wait_and_leaves_no_call_in_flight() -> None:
    clock = ManualClock()
    limits = EndpointLimits(requests_per_minute=60)
    limiter = AdaptiveLimiter(
        clock, maximum=4, quota=Quotas(limits, store=BrokenStore(), clock=clock).of("here")
    )
    for _ in range(2):
        with pytest.raises(StoreError):
            await limiter.acquire()
    assert limiter.in_flight == 0


async def test_those_who_wait_for_the_quota_are_not_counted_as_calls() -> None:
    clock = Timeline()
    limits = EndpointLimits(requests_per_minute=60)
    quota = Quotas(limits, store=TimedQuotas(clock.monotonic), clock=clock).of("here")
    limiter = AdaptiveLimiter(clock, maximum=5, quota=quota)
    counted: list[int] = []

    async def call() -> None:
        slot = await limiter.acquire()
        counted.append(slot.level)

    async def work() -> None:
        await asyncio.gather(*(call() for _ in range(5)))

    await clock.run(work())
    assert counted == [1, 2, 3, 4, 5]


async def test_an_endpoint_that_closes_meanwhile_is_not_asked() -> None:
    clock = Timeline()
    limits = EndpointLimits(requests_per_minute=60)
    quota = Quotas(limits, store=TimedQuotas(clock.monotonic), clock=clock).of("here")
    limiter = AdaptiveLimiter(clock, maximum=9, quota=quota)

    async def work() -> None:
        slots = [await limiter.acquire() for _ in range(8)]
        next_one = asyncio.create_task(limiter.acquire())
        await asyncio.sleep(0)
        for slot in slots:
            limiter.pushed_back(slot, retry_after_s=30)
        await next_one

    await clock.run(work())
    assert clock.monotonic() >= 7 + 30


def test_tokens_are_guessed_from_the_texts_where_the_server_does_not_count_them() -> None:
    assert tokens_used(REQUEST, Completion("so", usage=Usage(input_tokens=7, output_tokens=5))) == 12
    assert tokens_used(REQUEST, Completion("because", reasoning="hm...")) == 4
