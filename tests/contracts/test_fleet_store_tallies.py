"""The contract of the store that workers share: how a run stands, and who works."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Usage
from assay.domain.calls.timing import StreamTiming
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.domain.outcome import FINAL, RETRYABLE, Outcome
from assay.domain.run import EvaluationId, Run, RunId, RunSpec, State
from assay.domain.shard import ShardId
from assay.engine.stores import Stores
from assay.engine.stores.attempts import Spent
from assay.engine.stores.fleet import Worker
from assay.engine.stores.latencies import BOUNDS_S, Latencies, Spread
from assay.engine.stores.runs import RunControl
from tests.builders import NOON, Seeded, attempt
from tests.contracts.test_run_store import SUMMARY
from tests.stores import set_silent

OpenFleet = Callable[[], Awaitable[Stores]]
ONE, TWO, OTHER = EvaluationId("one"), EvaluationId("two"), EvaluationId("other")
RUN, OTHER_RUN = RunId("run-1"), RunId("run-2")


@pytest.fixture
async def seeded(store: Stores) -> Stores:
    """Two evaluations of one run, and one of another."""
    for run_id, names in ((RUN, (ONE, TWO)), (OTHER_RUN, (OTHER,))):
        run = Run(run_id, RunSpec(("sim/good",), ("letters",)), NOON)
        await store.runs.add(run, [Seeded(run).evaluation(id=name) for name in names], [])
    return store


async def test_what_is_spent_adds_up_over_the_evaluations_of_a_run(seeded: Stores) -> None:
    assert await seeded.attempts.spent(RUN) == Spent(Decimal(0), 0)
    costly = attempt("costly", evaluation_id=ONE, cost_usd=Decimal("0.25"), judge_cost_usd=Decimal("1E-7"))
    await seeded.attempts.add(
        [
            costly,
            replace(costly, item_id=ItemId("failed"), outcome=Outcome.GRADER_ERROR, judge_cost_usd=None),
            attempt("unknown", evaluation_id=TWO, usage=Usage()),
            attempt("half known", evaluation_id=TWO, usage=Usage(output_tokens=2**40)),
            attempt("elsewhere", evaluation_id=OTHER, cost_usd=Decimal(99)),
        ]
    )
    assert await seeded.attempts.spent(RUN) == Spent(Decimal("0.5000001"), 24 + 2**40, unknown=2)
    assert await seeded.attempts.spent(RunId("unknown")) == Spent(Decimal(0), 0)


async def test_many_small_costs_are_summed_without_rounding(seeded: Stores) -> None:
    costs = [Decimal("0.1"), Decimal("0.000000000001"), Decimal("12.345678901234")] * 400
    await seeded.attempts.add(
        [attempt(str(number), evaluation_id=ONE, cost_usd=cost) for number, cost in enumerate(costs)]
    )
    assert (await seeded.attempts.spent(RUN)).usd == sum(costs)


def spread(*times_ms: float) -> Spread:
    within = [sum(time_ms <= bound_s * 1000 for time_ms in times_ms) for bound_s in BOUNDS_S]
    return Spread((*within, len(times_ms)), sum(times_ms) / 1000)


async def test_latencies_are_counted_by_model(seeded: Stores) -> None:
    timings = [StreamTiming(80.0, 50.0), StreamTiming(250.0, 251.0), StreamTiming(900_000.0)]
    made = [attempt(str(number), evaluation_id=ONE, timing=one) for number, one in enumerate(timings)]
    unanswered = attempt("none", evaluation_id=TWO, timing=None)
    elsewhere = attempt("0", evaluation_id=OTHER, timing=timings[0])
    await seeded.attempts.add([*made, unanswered, elsewhere])

    expected = Latencies(spread(80.0, 250.0, 900_000.0), spread(50.0, 251.0))
    assert await seeded.attempts.latencies([RUN]) == {"sim/good": expected}
    expected = Latencies(spread(80.0, 80.0, 250.0, 900_000.0), spread(50.0, 50.0, 251.0))
    assert await seeded.attempts.latencies([RUN, OTHER_RUN]) == {"sim/good": expected}
    assert await seeded.attempts.latencies([]) == {}


async def test_the_latency_of_items_is_the_mean_of_the_newest_evaluations(store: Stores) -> None:
    assert await store.attempts.item_latencies_ms() == {}
    for number in range(7):
        run = Run(RunId(f"run-{number}"), RunSpec(("sim/good",), ("letters",)), NOON)
        name = EvaluationId(f"evaluation-{number}")
        state = State.SUCCEEDED if number < 6 else State.CANCELED
        ended = Seeded(run).evaluation(
            id=name, state=state, finished_at=NOON + timedelta(hours=number), summary=SUMMARY
        )
        await store.runs.add(run, [ended], [])
        timing = StreamTiming(1_000.0 * number)
        made = attempt("timed", evaluation_id=name, timing=timing)
        await store.attempts.add([made, attempt("untimed", evaluation_id=name, timing=None)])
    assert await store.attempts.item_latencies_ms() == {"letters": 3_000.0}


async def test_outcomes_are_counted_per_evaluation(seeded: Stores) -> None:
    outcomes = [Outcome.CORRECT] * 3 + [Outcome.TIMEOUT] + [Outcome.REFUSED] * 2
    await seeded.attempts.add(
        [attempt(str(number), evaluation_id=ONE, outcome=outcome) for number, outcome in enumerate(outcomes)]
    )
    await seeded.attempts.add([attempt(evaluation_id=OTHER)])
    own = {Outcome.CORRECT: 3, Outcome.TIMEOUT: 1, Outcome.REFUSED: 2}
    assert await seeded.attempts.outcome_counts([RUN]) == {ONE: own}
    assert await seeded.attempts.outcome_counts([RUN, OTHER_RUN]) == {ONE: own, OTHER: {Outcome.CORRECT: 1}}
    assert (
        await seeded.attempts.outcome_counts([])
        == await seeded.attempts.outcome_counts([RunId("unknown")])
        == {}
    )


async def test_missing_are_the_attempts_without_a_verdict(seeded: Stores) -> None:
    await seeded.attempts.add(
        [attempt(outcome.value, evaluation_id=ONE, sample=1, outcome=outcome) for outcome in Outcome]
    )
    expected = {AttemptKey(ItemId(outcome.value), 1) for outcome in RETRYABLE}
    assert await seeded.attempts.missing(ONE) == expected
    assert await seeded.attempts.missing(TWO) == frozenset()


async def test_stored_among_the_keys_of_a_shard(seeded: Stores) -> None:
    made = [attempt(outcome.value, evaluation_id=ONE, sample=1, outcome=outcome) for outcome in Outcome]
    many = [attempt(str(number), evaluation_id=ONE) for number in range(1_200)]
    await seeded.attempts.add(made + many)
    asked = [each.key for each in made[::2] + many] + [AttemptKey(each.item_id, 0) for each in made]
    assert await seeded.attempts.stored_among(ONE, asked) == {each.key for each in made[::2] + many}
    judged = {each.key for each in made[::2] + many if each.outcome in FINAL}
    assert await seeded.attempts.stored_among(ONE, asked, verdicts_only=True) == judged
    assert (
        await seeded.attempts.stored_among(ONE, []) == await seeded.attempts.stored_among(TWO, asked) == set()
    )


async def test_a_summary_is_set_without_a_change_of_state(seeded: Stores) -> None:
    before, other = await seeded.runs.evaluations(RUN)
    await seeded.runs.set_summary(ONE, SUMMARY)
    assert await seeded.runs.evaluations(RUN) == (replace(before, summary=SUMMARY), other)
    with pytest.raises(UnknownNameError, match="no evaluation 'nothing'"):
        await seeded.runs.set_summary(EvaluationId("nothing"), SUMMARY)


async def test_controls_follow_the_run(seeded: Stores) -> None:
    before = await seeded.runs.get(RUN)
    await seeded.runs.set_state(OTHER_RUN, State.RUNNING, at=NOON)
    changed = await seeded.runs.set_control(RUN, priority=-7)
    assert changed == replace(before, spec=replace(before.spec, priority=-7))
    changed = await seeded.runs.set_control(RUN, max_connections=3)
    assert await seeded.runs.get(RUN) == changed
    assert await seeded.runs.controls([RUN, OTHER_RUN, RunId("unknown")]) == {
        RUN: RunControl(State.QUEUED, max_connections=3, priority=-7),
        OTHER_RUN: RunControl(State.RUNNING, max_connections=None, priority=0),
    }
    assert await seeded.runs.controls([]) == {}
    assert (await seeded.runs.set_control(RUN, max_connections="default")).spec.max_connections is None
    assert (await seeded.runs.controls([RUN]))[RUN].max_connections is None


async def test_a_control_that_makes_no_sense_is_refused(seeded: Stores) -> None:
    before = await seeded.runs.get(RUN)
    with pytest.raises(InvalidValueError):
        await seeded.runs.set_control(RUN, max_connections=0)
    with pytest.raises(InvalidValueError):
        await seeded.runs.set_control(RUN, priority=2**31)
    assert await seeded.runs.get(RUN) == before
    with pytest.raises(UnknownNameError, match="no run 'nothing'"):
        await seeded.runs.set_control(RunId("nothing"), priority=1)


async def test_concurrent_controls_are_all_kept(seeded: Stores, reopen: OpenFleet) -> None:
    other = await reopen()
    for number in range(1, 11):
        await asyncio.gather(
            seeded.runs.set_control(RUN, priority=number), other.runs.set_control(RUN, max_connections=number)
        )
        spec = (await seeded.runs.get(RUN)).spec
        assert (spec.priority, spec.max_connections) == (number, number)


async def test_active_are_the_runs_that_have_not_ended(store: Stores) -> None:
    for owner, count in ((None, 1), ("ann", 2), ("Ann", 3)):
        for state in State:
            for number in range(count):
                run_id = RunId(f"{owner}/{state}/{number}")
                run = Run(run_id, RunSpec(("m",), ("b",)), NOON, state=state, owner=owner)
                await store.runs.add(run, [], [])
    assert [await store.runs.count_active(owner) for owner in (None, "ann", "Ann", "")] == [3, 6, 9, 0]


def worker(name: str) -> Worker:
    return Worker(name, "host", NOON, slots=4)


async def test_a_worker_comes_back_as_it_was_last_heard_of(store: Stores) -> None:
    await store.fleet.heartbeat(worker("w"))
    full = Worker(
        id="w",
        host="höst\x00",
        started_at=NOON,
        slots=8,
        running=(ShardId("s2"), ShardId("s1")),
        endpoints={"https://example.com/v1": 3, "sïm \x00": 0},
        version="0.1.0",
        is_draining=True,
    )
    await store.fleet.heartbeat(full)
    assert await store.fleet.workers() == (full,)


async def test_workers_are_listed_oldest_first(store: Stores) -> None:
    for name, age_s in (("c", 1), ("a", 1), ("b", 9)):
        await store.fleet.heartbeat(replace(worker(name), started_at=NOON - timedelta(seconds=age_s)))
    assert [each.id for each in await store.fleet.workers()] == ["b", "a", "c"]


async def test_a_worker_that_leaves_is_not_buried(store: Stores) -> None:
    for name in ("a", "b"):
        await store.fleet.heartbeat(worker(name))
    await store.fleet.remove_worker("a")
    await store.fleet.remove_worker("nobody")
    assert await store.fleet.remove_dead_workers(silent_for_s=0) == ("b",)


async def test_only_workers_silent_for_so_long_are_buried(store: Stores) -> None:
    for name, silent_s in (("now", 0), ("just", 500), ("lost", 700), ("dead", 6000)):
        await store.fleet.heartbeat(worker(name))
        await set_silent(store, name, silent_s)
    silent = {each.id: each.silent_s for each in await store.fleet.workers()}
    assert 500 <= silent["just"] < 600
    assert 700 <= silent["lost"] < 800
    assert await store.fleet.remove_dead_workers(silent_for_s=600) == ("dead", "lost")
    assert await store.fleet.remove_dead_workers(silent_for_s=600) == ()
    assert [each.id for each in await store.fleet.workers()] == ["just", "now"]
    await store.fleet.heartbeat(worker("dead"))
    assert len(await store.fleet.workers()) == 3


async def test_each_dead_worker_is_given_to_one_caller(store: Stores, reopen: OpenFleet) -> None:
    names = [f"w{number:02}" for number in range(30)]
    for name in names:
        await store.fleet.heartbeat(worker(name))
    stores = [store, await reopen(), await reopen(), await reopen()]
    buried = await asyncio.gather(*(each.fleet.remove_dead_workers(silent_for_s=0) for each in stores * 2))
    assert sorted(name for names in buried for name in names) == names
