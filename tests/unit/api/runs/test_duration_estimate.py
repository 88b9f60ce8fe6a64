"""How long a run would take, from what was measured."""

from dataclasses import replace
from decimal import Decimal

from assay.api.runs.duration_estimate import expected_duration
from assay.domain.run import State
from assay.domain.summary import Summary, Tokens
from assay.engine.planning.estimate import Estimate, Range
from assay.engine.stores import Stores
from tests.builders import Seeded
from tests.stores import memory_stores

NOTHING = Range(0, 0)


def asked(model: str, attempts: int) -> Estimate:
    return Estimate(model, "letters", attempts, NOTHING, NOTHING, None)


async def measured(model: str, *, attempts: int, seconds: float) -> Stores:
    seeded = Seeded()
    run = replace(seeded.run, spec=replace(seeded.run.spec, models=(model,)), state=State.SUCCEEDED)
    summary = Summary(None, attempts, attempts, {}, None, 0, Tokens(), Decimal(0), duration_s=seconds)
    store = memory_stores()
    await store.runs.add(run, [seeded.evaluation(model=model, state=State.SUCCEEDED, summary=summary)], [])
    return store


async def test_the_time_grows_with_the_attempts() -> None:
    store = await measured("sim/good", attempts=1_000, seconds=100.0)
    once = await expected_duration(store.runs, [asked("sim/good", 1_000)])
    twice = await expected_duration(store.runs, [asked("sim/good", 2_000)])
    assert once is not None
    assert twice is not None
    assert once.low < 100 < once.high
    assert twice.high == 2 * once.high


async def test_several_evaluations_may_go_side_by_side_or_one_by_one() -> None:
    store = await measured("sim/good", attempts=1_000, seconds=100.0)
    one = await expected_duration(store.runs, [asked("sim/good", 1_000)])
    both = await expected_duration(store.runs, [asked("sim/good", 1_000)] * 2)
    assert one is not None
    assert both is not None
    assert both.low == one.low
    assert both.high == 2 * one.high


async def test_what_was_never_measured_is_not_made_up() -> None:
    store = await measured("sim/good", attempts=1_000, seconds=100.0)
    assert await expected_duration(store.runs, [asked("sim/good", 5), asked("sim/weak", 5)]) is None
    assert await expected_duration(store.runs, []) is None
