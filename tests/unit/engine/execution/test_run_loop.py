"""A run over memory: what is asked, what is stored, what stops it and how it goes on."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from sqlalchemy import text

from assay.adapters.store.attempts.store import SqlAttemptStore
from assay.adapters.store.stores import sql_stores
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Completion, Usage
from assay.domain.calls.pricing import Price
from assay.domain.errors import (
    InvalidValueError,
    RateLimitedError,
    RejectedError,
    ServerError,
    StoreError,
    UnauthorizedError,
    UnknownModelError,
    UsageError,
)
from assay.domain.event import EventType
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, Evaluation, Run, RunSpec, State, Subset
from assay.domain.summary import Summary
from assay.engine.execution.control import resume, set_budget
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.execution.shards import Observer
from assay.engine.models.traffic import Traffic
from assay.engine.ports import Request
from assay.engine.stores.runs import RunFilter
from tests.builders import CARD, LetterBenchmark, ManualClock, ScriptedModel, World, right
from tests.stores import MemoryDatabase, memory_stores


async def summary_of(world: World, run: Run) -> Summary:
    (evaluation,) = await world.store.runs.evaluations(run.id)
    assert evaluation.summary is not None
    return evaluation.summary


async def resumed(world: World, run: Run) -> Run:
    await resume(world.engine.lifecycle, run.id)
    return await execute_run(world.engine, run.id)


async def test_a_run_ends_with_a_score_that_shows_its_denominator() -> None:
    world = World()
    run = await world.run()
    summary = await summary_of(world, run)
    assert run.state is State.SUCCEEDED
    assert summary.score is not None
    assert (summary.score.value, summary.scored, summary.total) == (1.0, 4, 4)
    assert summary.score.interval is not None
    assert summary.cost_usd is None
    assert set(summary.categories) == {"vowel", "consonant"}
    assert world.model.is_closed


async def test_events_tell_the_story_in_order() -> None:
    world = World()
    run = await world.run()
    kinds = [event.type for event in await world.store.events.page(run.id)]
    assert kinds[:3] == [EventType.RUN_CREATED, EventType.RUN_STARTED, EventType.BENCHMARK_STARTED]
    assert kinds[-2:] == [EventType.BENCHMARK_COMPLETED, EventType.RUN_COMPLETED]


async def test_samples_are_attempts_of_the_same_item_and_give_pass_at_k() -> None:
    def alternating(request: Request, _number: int) -> Completion:
        return Completion((request.cue().right or "") if request.sample == 0 else "z")

    world = World(model=ScriptedModel(alternating))
    summary = await summary_of(world, await world.run(samples=2))
    assert summary.total == 8
    assert summary.metrics["pass@1"].value == 0.5
    assert summary.metrics["pass@2"].value == 1.0
    assert summary.metrics["pass^2"].value == 0.0
    assert summary.score is not None
    assert summary.score.clusters == 4


async def test_a_failed_item_is_missing_data_and_never_a_zero() -> None:
    def refusing_one(request: Request, number: int) -> Completion | RejectedError:
        if request.cue().right == "b":
            return RejectedError("the prompt is too long", status=400)
        return right(request, number)

    world = World(model=ScriptedModel(refusing_one))
    run = await world.run()
    summary = await summary_of(world, run)
    assert summary.score is not None
    assert (summary.score.value, summary.scored, summary.total) == (1.0, 3, 4)
    assert summary.outcomes[Outcome.MODEL_ERROR] == 1
    assert summary.bounds is not None
    assert (summary.bounds.low, summary.bounds.high) == (0.75, 1.0)
    stored = await world.store.attempts.get(
        (await world.store.runs.evaluations(run.id))[0].id, AttemptKey(ItemId("1"), 0)
    )
    assert stored.score is None
    assert stored.error_code == "rejected"


async def test_every_try_is_a_call_and_the_delay_grows() -> None:
    def third_time_lucky(request: Request, number: int) -> Completion | ServerError:
        return right(request, number) if number >= 3 else ServerError("down", status=500)

    world = World(model=ScriptedModel(third_time_lucky), benchmark=LetterBenchmark(size=1))
    run = await world.run()
    evaluation = (await world.store.runs.evaluations(run.id))[0]
    stored = await world.store.attempts.get(evaluation.id, AttemptKey(ItemId("0"), 0))
    assert stored.outcome is Outcome.CORRECT
    assert [call.status for call in stored.calls] == [500, 500, 200]
    assert stored.tries == 3
    assert world.clock.passed_s >= 3
    assert evaluation.summary is not None
    assert evaluation.summary.retried == 1


async def test_progress_says_why_calls_are_repeated() -> None:
    def busy_at_first(request: Request, number: int) -> Completion | RateLimitedError:
        return right(request, number) if number >= 2 else RateLimitedError("HTTP 429: slow down", status=429)

    seen: list[tuple[int, str | None]] = []

    class Retries(Observer):
        def waiting_to_retry(self, evaluation: Evaluation, traffic: Traffic) -> None:
            assert evaluation.benchmark == "letters"
            seen.append((traffic.waiting, traffic.reason))

    world = World(model=ScriptedModel(busy_at_first), benchmark=LetterBenchmark(size=1))
    run = await create_run(world.engine, RunSpec(("test/scripted",), ("letters",), data="demo"))
    await execute_run(world.engine, run.id, observer=Retries())
    assert seen == [(1, "HTTP 429: slow down")]
    progress = [
        event.data
        for event in await world.store.events.page(run.id)
        if event.type is EventType.BENCHMARK_PROGRESS
    ]
    assert progress[-1] is not None
    assert {name: progress[-1][name] for name in ("rate_limited", "retries", "waiting_to_retry")} == {
        "rate_limited": 1,
        "retries": 1,
        "waiting_to_retry": 0,
    }
    assert progress[-1]["call_limit"] == 10
    assert progress[-1]["endpoint"] == world.model.endpoint


async def test_progress_says_what_the_tokens_so_far_cost() -> None:
    world = World(benchmark=LetterBenchmark(size=1))
    world.model.listed_price = Price(Decimal(1), Decimal(2), "list")
    run = await world.run()
    [progress] = [
        event.data
        for event in await world.store.events.page(run.id)
        if event.type is EventType.BENCHMARK_PROGRESS
    ]
    [evaluation] = await world.store.runs.evaluations(run.id)
    assert evaluation.summary is not None
    assert evaluation.summary.cost_usd is not None
    assert progress["cost_usd"] == float(evaluation.summary.cost_usd) > 0
    assert progress["input_tokens"] == evaluation.summary.tokens.input > 0


async def test_progress_goes_on_while_every_attempt_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.engine.execution.progress.INTERVAL_S", 0.001)
    is_told = asyncio.Event()
    told: list[int] = []

    class Waiting(ManualClock):
        async def sleep(self, seconds: float) -> None:
            await is_told.wait()
            await super().sleep(seconds)

    class Retries(Observer):
        def waiting_to_retry(self, evaluation: Evaluation, traffic: Traffic) -> None:
            told.append(traffic.waiting)
            if len(told) == 3:
                is_told.set()

    model = ScriptedModel(
        lambda request, number: right(request, number) if number >= 2 else ServerError("down")
    )
    world = World(model=model, benchmark=LetterBenchmark(size=1), clock=Waiting())
    run = await create_run(world.engine, RunSpec(("test/scripted",), ("letters",), data="demo"))
    async with asyncio.timeout(60):
        await execute_run(world.engine, run.id, observer=Retries())
    assert told[:3] == [1, 1, 1]


async def test_a_run_with_no_verdict_has_no_score_and_fails() -> None:
    world = World(model=ScriptedModel(lambda _r, _n: RateLimitedError("busy", status=429, retry_after_s=500)))
    run = await world.run()
    assert run.state is State.FAILED
    summary = await summary_of(world, run)
    assert summary.score is None
    assert summary.outcomes == {Outcome.RATE_LIMITED: 4}
    assert "no attempt has a verdict" in (run.error or "")


async def test_a_wrong_key_stops_the_evaluation_at_once() -> None:
    model = ScriptedModel(lambda _r, _n: UnauthorizedError("wrong key; set X_API_KEY", status=401))
    world = World(model=model, benchmark=LetterBenchmark(size=500))
    run = await world.run(max_connections=4)
    assert run.state is State.FAILED
    assert "wrong key" in (run.error or "")
    assert len(model.requests) <= 4


async def test_a_model_the_endpoint_does_not_have_is_not_asked() -> None:
    world = World()
    world.model.check_error = UnknownModelError("no model 'x'")
    run = await world.run()
    assert run.state is State.FAILED
    assert world.model.requests == []


async def test_a_subset_takes_the_same_items_every_time() -> None:
    runs: list[tuple[ItemId, ...]] = []
    for _ in range(2):
        world = World(benchmark=LetterBenchmark(size=100))
        run = await world.run(subset=Subset(percent=10, seed="s"))
        runs.append((await world.store.runs.evaluations(run.id))[0].item_ids)
    assert runs[0] == runs[1]
    assert len(runs[0]) == 10


async def test_an_interrupted_run_goes_on_without_repeating_what_is_stored() -> None:
    asked: list[str] = []
    gate = asyncio.Event()

    class Interrupted(ScriptedModel):
        async def complete(self, request: Request) -> Completion:
            asked.append(request.prompt.text)
            if len(asked) > 5:
                await gate.wait()
            return right(request, 0)

    world = World(model=Interrupted(right), benchmark=LetterBenchmark(size=20))
    engine = world.engine
    run = await create_run(engine, RunSpec(("m",), ("letters",), data="demo", max_connections=2))
    task = asyncio.create_task(execute_run(engine, run.id))
    async with asyncio.timeout(60):
        while len(asked) < 7:
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    paused = await world.store.runs.get(run.id)
    # A run is called interrupted when its process is gone.
    assert (paused.state, paused.error) == (State.PAUSED, "stopped by Ctrl-C or SIGTERM")
    evaluation = (await world.store.runs.evaluations(run.id))[0]
    assert evaluation.state is State.PAUSED
    stored = await world.store.attempts.keys(evaluation.id)
    assert len(stored) == 5
    gate.set()
    before = len(asked)
    finished = await resumed(world, run)
    assert finished.state is State.SUCCEEDED
    assert len(asked) - before == 15


async def test_a_run_whose_process_died_is_opened_again() -> None:
    world = World()
    engine = world.engine
    run = await create_run(engine, RunSpec(("m",), ("letters",), data="demo"))
    await world.store.runs.set_state(run.id, State.RUNNING, at=world.clock.now())
    evaluation = (await world.store.runs.evaluations(run.id))[0]
    await world.store.runs.set_evaluation_state(evaluation.id, State.RUNNING, at=world.clock.now())
    assert (await resumed(world, run)).state is State.SUCCEEDED


async def test_a_changed_benchmark_is_not_silently_continued() -> None:
    world = World()
    run = await create_run(world.engine, RunSpec(("m",), ("letters",), data="demo"))
    world.benchmark = LetterBenchmark(card=replace(CARD, version="2"))
    failed = await execute_run(world.engine, run.id)
    assert failed.state is State.FAILED
    assert "benchmark_version" in (failed.error or "")
    assert world.model.requests == []


async def test_the_token_budget_pauses_the_run_and_loses_nothing() -> None:
    world = World(benchmark=LetterBenchmark(size=50))
    run = await world.run(budget=Budget(tokens=110), max_connections=1)
    assert run.state is State.PAUSED
    assert "110 tokens" in (run.error or "")
    evaluation = (await world.store.runs.evaluations(run.id))[0]
    assert len(await world.store.attempts.keys(evaluation.id)) == 10
    again = await resumed(world, run)
    assert again.state is State.PAUSED
    assert len(world.model.requests) == 10


async def test_the_token_budget_is_estimated_where_the_endpoint_reports_no_usage() -> None:
    model = ScriptedModel(lambda request, _: Completion(request.cue().right or ""))
    world = World(benchmark=LetterBenchmark(size=50), model=model)
    # A question and its answer have about two tokens.
    run = await world.run(budget=Budget(tokens=40), max_connections=1)
    assert run.state is State.PAUSED
    assert re.search(r"40 tokens is used up, by an estimate: .* of \d+ attempts", run.error or "")
    asked = len(model.requests)
    assert 2 < asked < 50
    # What is stored counts too, as soon as there is an estimate.
    again = await resumed(world, run)
    assert again.state is State.PAUSED
    assert len(model.requests) == asked + 1


async def test_the_usd_budget_counts_what_calls_cost() -> None:
    world = World(benchmark=LetterBenchmark(size=50))
    world.model.listed_price = Price(Decimal(100_000), Decimal(0), "list")
    run = await world.run(budget=Budget(usd=Decimal(3)), max_connections=1)
    assert run.state is State.PAUSED
    assert len(world.model.requests) == 3


async def test_a_usd_budget_needs_a_known_price() -> None:
    with pytest.raises(InvalidValueError, match="price of 'test/scripted' is unknown"):
        await World().run(budget=Budget(usd=Decimal(1)))


async def test_known_prices_give_a_cost() -> None:
    world = World()
    world.model.listed_price = Price(Decimal(1), Decimal(2), "list")
    summary = await summary_of(world, await world.run())
    assert summary.cost_usd == Decimal(4 * (10 * 1 + 1 * 2)) / 1_000_000


async def test_a_store_that_fails_stops_the_run_with_its_error() -> None:
    class FullStore(SqlAttemptStore):
        async def add(self, attempts: Sequence[Attempt]) -> None:
            _ = attempts
            raise StoreError("the disk is full")

    store = replace(memory_stores(), attempts=FullStore(MemoryDatabase()))
    world = World(benchmark=LetterBenchmark(size=50), store=store)
    with pytest.raises(StoreError, match="disk is full"):
        await world.run()
    (run,) = (await world.store.runs.page(RunFilter())).runs
    assert run.state is State.PAUSED


@pytest.mark.parametrize(
    ("completion", "outcome"),
    [
        (Completion("a", refusal="I will not."), Outcome.REFUSED),
        (Completion("", finish_reason="content_filter"), Outcome.REFUSED),
        (Completion("", finish_reason="length"), Outcome.TRUNCATED),
        (Completion("", reasoning="hm", reasoning_unclosed=True), Outcome.TRUNCATED),
        (Completion("long text", finish_reason="length"), Outcome.TRUNCATED),
        (Completion("a", finish_reason="length"), Outcome.CORRECT),
        (Completion("I will not."), Outcome.UNPARSED),
        (Completion(""), Outcome.UNPARSED),
    ],
)
async def test_refusals_and_cut_replies_follow_the_shared_rules(
    completion: Completion, outcome: Outcome
) -> None:
    world = World(model=ScriptedModel(lambda _r, _n: completion), benchmark=LetterBenchmark(size=1))
    run = await world.run()
    evaluation = (await world.store.runs.evaluations(run.id))[0]
    stored = await world.store.attempts.get(evaluation.id, AttemptKey(ItemId("0"), 0))
    assert stored.outcome is outcome
    assert stored.score == float(outcome is Outcome.CORRECT)
    assert stored.is_cut == completion.is_cut


async def test_a_broken_grader_is_a_grader_error() -> None:
    class Broken(LetterBenchmark):
        async def grade(self, item: object, completion: object, services: object) -> object:  # pyright: ignore[reportIncompatibleMethodOverride] # broken on purpose
            raise KeyError("oops")

    world = World(benchmark=Broken())
    run = await world.run()
    assert run.state is State.FAILED
    assert (await summary_of(world, run)).outcomes == {Outcome.GRADER_ERROR: 4}


async def test_usage_is_summed_and_unknown_usage_is_counted() -> None:
    def some_usage(request: Request, number: int) -> Completion:
        usage = Usage(input_tokens=5, output_tokens=3) if number % 2 else Usage()
        return replace(right(request, number), usage=usage)

    world = World(model=ScriptedModel(some_usage))
    tokens = (await summary_of(world, await world.run(max_connections=1))).tokens
    assert (tokens.input, tokens.output, tokens.unknown) == (10, 6, 2)


async def test_an_error_of_usage_while_answering_fails_the_evaluation_and_ends_the_run() -> None:
    world = World(model=ScriptedModel(lambda _r, _n: UsageError("no reference answers: use --data demo")))
    run = await asyncio.wait_for(world.run(), 60)
    assert run.state is State.FAILED
    assert "--data demo" in (run.error or "")


async def asked_items(world: World, run: Run) -> set[str]:
    (evaluation,) = await world.store.runs.evaluations(run.id)
    return {attempt.item_id async for attempt in world.store.attempts.results(evaluation.id)}


async def test_what_a_stopped_run_has_asked_is_a_subset_of_the_same_draw() -> None:
    world = World(benchmark=LetterBenchmark(size=60))
    paused = await world.run(max_connections=1, budget=Budget(tokens=200))
    assert paused.state is State.PAUSED
    asked = await asked_items(world, paused)
    drawn = World(benchmark=LetterBenchmark(size=60))
    subset = await drawn.run(subset=Subset(count=len(asked)))
    assert asked == await asked_items(drawn, subset)
    assert asked != {str(number) for number in range(len(asked))}


async def test_a_run_stored_before_items_could_be_named_asks_all() -> None:
    database = MemoryDatabase()
    world = World(benchmark=LetterBenchmark(size=6), store=sql_stores(database))
    run = await create_run(world.engine, RunSpec(("test/scripted",), ("letters",), data="demo"))
    forget_items = text("UPDATE runs SET spec = json_remove(spec, '$.items')")
    await database.write(lambda connection: connection.execute(forget_items))
    finished = await execute_run(world.engine, run.id)
    assert (finished.state, finished.spec.items) == (State.SUCCEEDED, ())
    assert len(await asked_items(world, finished)) == 6


async def test_a_run_stored_without_an_order_goes_on_in_the_order_of_the_data() -> None:
    database = MemoryDatabase()
    world = World(benchmark=LetterBenchmark(size=60), store=sql_stores(database))
    spec = RunSpec(
        ("test/scripted",), ("letters",), data="demo", max_connections=1, budget=Budget(tokens=330)
    )
    run = await create_run(world.engine, spec)
    forget_order = text("UPDATE runs SET spec = json_remove(spec, '$.item_order')")
    await database.write(lambda connection: connection.execute(forget_order))
    paused = await execute_run(world.engine, run.id)
    asked = await asked_items(world, paused)
    assert asked == {str(number) for number in range(len(asked))}
    await set_budget(world.store.runs, run.id, Budget())
    finished = await resumed(world, run)
    assert finished.state is State.SUCCEEDED
    assert len(await asked_items(world, finished)) == 60
