"""Load tests in simulated time."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest

from assay.domain.benchmark import Need
from assay.domain.calls.messages import Completion, Usage
from assay.domain.calls.pricing import Price
from assay.domain.calls.timing import Arrivals, stream_timing
from assay.domain.errors import InvalidValueError, RateLimitedError, ServerError, UnauthorizedError
from assay.domain.load import LoadLimits, LoadSpec, LoadTest, Stage
from assay.domain.run import Budget
from assay.engine.load.load_run import LoadRun
from assay.engine.load.prompts import Requests
from assay.engine.ports import Request
from tests.timeline import Timeline

CLOSED = LoadSpec("test/one", "closed", (Stage(2, 2),), stage_s=10, warm_up=1)
OPEN = LoadSpec("test/one", "open", (Stage(2, 2),), stage_s=10, spacing="constant", warm_up=1)


@dataclass
class Endpoint:
    """Works on so many requests at once, the others wait; each takes a second and has four chunks."""

    clock: Timeline
    places: int = 1_000
    serves: Callable[[int], None] = lambda _: None
    gap_s: float = 0.25
    asked: list[Request] = field(default_factory=list[Request])
    has_usage: bool = True
    model: str = "test/one"
    endpoint: str = "http://test"

    def __post_init__(self) -> None:
        self._free = asyncio.Semaphore(self.places)

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        started_s = self.clock.monotonic()
        self.serves(len(self.asked))
        async with self._free:
            chunks_s: list[float] = []
            for _ in range(4):
                await self.clock.sleep(self.gap_s)
                chunks_s.append(self.clock.monotonic())
        arrivals = Arrivals(started_s, chunks_s[-1], chunks_s, chunks_s[1])
        usage = Usage(input_tokens=100, output_tokens=50) if self.has_usage else Usage()
        timing = stream_timing(arrivals, output_tokens=usage.output_tokens)
        return Completion("words " * 10, usage=usage, timing=timing, arrivals=arrivals)

    async def check(self, needs: frozenset[Need] = frozenset()) -> None: ...

    async def price(self) -> Price | None:
        return None

    async def close(self) -> None: ...


async def measured(spec: LoadSpec, endpoint: Endpoint, *, price: Price | None = None) -> LoadTest:
    run = LoadRun(spec, endpoint, endpoint.clock, Requests(spec), price=price)
    await endpoint.clock.run(run.execute())
    return run.result()


def fails(error: Exception, when: Callable[[int], bool]) -> Callable[[int], None]:
    def serve(number: int) -> None:
        if when(number):
            raise error

    return serve


async def test_a_closed_loop_keeps_its_clients_busy() -> None:
    test = await measured(CLOSED, Endpoint(Timeline()))
    [level] = test.levels
    assert (level.load, level.due, level.answered, level.most_in_flight) == (2, 20, 20, 2)
    assert level.requests_per_s == pytest.approx(2)
    assert level.output_tokens_per_s == pytest.approx(100)
    assert level.latency["ttft_ms"]["p50"] == pytest.approx(250)
    assert level.latency["ttfat_ms"]["p50"] == pytest.approx(500)
    assert level.latency["itl_ms"] == pytest.approx({"p50": 250, "p90": 250, "p99": 250, "max": 250, "n": 60})
    assert level.latency["e2e_ms"]["max"] == pytest.approx(1_000)
    assert "ttft_sent_ms" not in level.latency
    assert (level.mean_input_tokens, level.mean_output_tokens) == (100, 50)
    assert test.ending == "finished"
    assert test.requests == 21
    assert "queueing beyond the clients cannot be seen" in test.notes[0]


async def test_an_open_loop_sends_on_schedule_whatever_is_unanswered() -> None:
    # Half as fast as requests are due: every one waits longer than the last.
    test = await measured(OPEN, Endpoint(Timeline(), places=1))
    [level] = test.levels
    assert level.due == level.answered == 20
    assert level.lag.start_ms["max"] == pytest.approx(0)
    assert level.most_in_flight > 9
    assert level.latency["e2e_ms"]["max"] == pytest.approx(10_500)
    # Over the time until the last was answered.
    assert level.window_s == pytest.approx(20)
    assert level.requests_per_s < 1.5


async def test_a_closed_loop_at_the_same_endpoint_does_not_see_the_queue() -> None:
    test = await measured(CLOSED, Endpoint(Timeline(), places=1))
    assert test.levels[0].latency["e2e_ms"]["max"] == pytest.approx(2_000)


async def test_latency_counts_from_when_a_request_was_due() -> None:
    clock = Timeline()

    class Late(Endpoint):
        async def complete(self, request: Request) -> Completion:
            await self.clock.sleep(0.3)
            return await super().complete(request)

    [level] = (await measured(OPEN, Late(clock))).levels
    assert level.latency["ttft_ms"]["p50"] == pytest.approx(550)
    assert level.latency["ttft_sent_ms"]["p50"] == pytest.approx(250)
    assert level.latency["e2e_sent_ms"]["p50"] == pytest.approx(1_000)
    assert level.lag.send_ms["p50"] == pytest.approx(300)
    # Connecting is the endpoint's part, not a fault of the generator.
    assert level.lag.start_ms["p50"] == pytest.approx(0)
    assert level.distortions == ()


async def test_a_refused_call_is_a_result_and_is_not_repeated() -> None:
    endpoint = Endpoint(
        Timeline(), serves=fails(RateLimitedError("busy", retry_after_s=60), lambda n: n % 2 == 0)
    )
    [level] = (await measured(OPEN, endpoint)).levels
    assert level.errors == {"rate-limited": 10}
    assert level.answered == 10
    assert len(endpoint.asked) == 21
    assert all(request.is_single for request in endpoint.asked[1:])


async def test_an_endpoint_that_breaks_down_under_load_is_a_result() -> None:
    endpoint = Endpoint(Timeline(), serves=fails(UnauthorizedError("no"), lambda n: n > 11))
    [level] = (await measured(OPEN, endpoint)).levels
    assert level.errors == {"unauthorized": 10}


async def test_a_warm_up_that_gets_no_reply_ends_the_test() -> None:
    endpoint = Endpoint(Timeline(), serves=fails(ServerError("broken"), lambda _: True))
    with pytest.raises(ServerError):
        await measured(replace(CLOSED, warm_up=3), endpoint)
    assert len(endpoint.asked) == 3


async def test_goodput_counts_replies_that_keep_every_limit_among_all_that_were_due() -> None:
    endpoint = Endpoint(Timeline(), places=1, serves=fails(ServerError("broken"), lambda n: n == 2))
    spec = replace(OPEN, goodput="ttft<2.1s,e2e<5s")
    [level] = (await measured(spec, endpoint)).levels
    # The first reply after a second, each further one half a second later after its due time.
    assert level.good == 4
    assert level.due == 20
    assert level.good_per_s == pytest.approx(4 / level.window_s)


async def test_stalls_are_found_in_the_replies_that_have_one() -> None:
    [level] = (await measured(replace(CLOSED, stall_ms=200), Endpoint(Timeline()))).levels
    assert level.stalled == level.answered
    [level] = (await measured(replace(CLOSED, stall_ms=300), Endpoint(Timeline()))).levels
    assert level.stalled == 0


async def test_a_ramp_is_reported_in_slices() -> None:
    spec = replace(OPEN, stages=(Stage(0, 16),), stage_s=16)
    levels = (await measured(spec, Endpoint(Timeline()))).levels
    assert [level.load for level in levels] == [1, 3, 5, 7, 9, 11, 13, 15]
    assert all(level.is_slice and level.window_s == pytest.approx(2) for level in levels)
    # Half of a second's requests are answered in the next slice, by which time the rate has grown.
    assert [level.requests_per_s for level in levels] == pytest.approx([0.5, 2, 4, 6, 8, 10, 12, 14], abs=0.7)
    assert sum(level.due for level in levels) == 128


async def test_a_falling_ramp_of_clients_ends_them_one_by_one() -> None:
    spec = replace(CLOSED, stages=(Stage(8, 0),), stage_s=8)
    levels = (await measured(spec, Endpoint(Timeline()))).levels
    assert [level.most_in_flight for level in levels] == [8, 7, 6, 5, 4, 3, 2, 1]


async def test_steps_follow_one_another_when_all_is_answered() -> None:
    spec = replace(CLOSED, stages=(Stage(1, 1), Stage(4, 4)), stage_requests=8)
    test = await measured(spec, Endpoint(Timeline()))
    assert [(level.due, level.most_in_flight) for level in test.levels] == [(8, 1), (8, 4)]
    assert test.duration_s == pytest.approx(1 + 8 + 2)


async def test_what_the_generator_could_not_keep_is_marked() -> None:
    clock = Timeline()
    spec = replace(OPEN, limits=LoadLimits(in_flight=3))
    [level] = (await measured(spec, Endpoint(clock, places=1))).levels
    assert level.errors["not-sent"] > 5
    assert level.due == 20
    assert "held back" in level.distortions[0]


async def test_a_late_generator_is_marked() -> None:
    clock = Timeline()
    sleep = clock.sleep

    async def oversleep(seconds: float) -> None:
        await sleep(seconds + 0.04)

    endpoint = Endpoint(Timeline())
    endpoint.clock = clock
    clock.sleep = oversleep  # type: ignore[method-assign]
    [level] = (await measured(OPEN, endpoint)).levels
    assert "sent requests 40 ms late" in level.distortions[0]
    assert "noticed arrivals 40 ms late" in level.distortions[1]


@pytest.mark.parametrize(
    ("limits", "ending", "answered"),
    [
        (LoadLimits(requests=6), "max-requests", 5),
        (LoadLimits(duration_s=4.5), "max-duration", 8),
        # With the warm-up 900 tokens: what is under way counts as if it were answered.
        (LoadLimits(budget=Budget(tokens=900)), "budget", 5),
        (LoadLimits(budget=Budget(usd=Decimal("0.9"))), "budget", 5),
    ],
)
async def test_a_limit_ends_the_test(limits: LoadLimits, ending: str, answered: int) -> None:
    price = Price(Decimal(1_000), Decimal(1_000), "test")
    spec = replace(CLOSED, limits=limits, stages=(Stage(2, 2), Stage(3, 3)))
    test = await measured(spec, Endpoint(Timeline()), price=price)
    assert (test.ending, len(test.levels)) == (ending, 1)
    assert test.levels[0].answered == answered


async def test_what_the_endpoint_does_not_report_is_unknown_and_estimated_for_the_budget() -> None:
    spec = replace(CLOSED, limits=LoadLimits(budget=Budget(tokens=2_000)))
    test = await measured(spec, Endpoint(Timeline(), has_usage=False))
    assert test.ending == "budget"
    assert (test.tokens, test.cost_usd) == (None, None)
    assert test.levels[0].output_tokens_per_s is None
    assert test.levels[0].mean_output_tokens is None


async def test_a_stopped_test_keeps_what_it_measured() -> None:
    clock = Timeline()
    run = LoadRun(CLOSED, Endpoint(clock), clock, Requests(CLOSED))

    async def stopped() -> None:
        task = asyncio.create_task(run.execute())
        await clock.sleep(4.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    await clock.run(stopped())
    test = run.result()
    assert test.ending == "interrupted"
    assert test.levels[0].answered == 6


def test_more_clients_than_may_be_under_way_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="under way"):
        replace(CLOSED, stages=(Stage(1, 901),))
