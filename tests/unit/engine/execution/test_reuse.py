"""A run that takes the answers of earlier runs."""

from dataclasses import replace
from decimal import Decimal

import pytest

from assay.domain.attempt import REUSED_FROM, Attempt
from assay.domain.benchmark import Card, Need
from assay.domain.calls.messages import Completion, Generation
from assay.domain.calls.pricing import Price
from assay.domain.errors import InvalidValueError, ServerError
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, Run, RunSpec, State
from assay.engine.execution.create import Caller, create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.ports import Request
from tests.builders import CARD, LetterBenchmark, ScriptedModel, World, right


async def run_of(world: World, owner: str) -> Run:
    spec = RunSpec(("sim/good",), ("letters",), data="demo", reuse=True)
    run = await create_run(world.engine, spec, Caller(owner=owner))
    return await execute_run(world.engine, run.id)


async def attempts_of(world: World, run: Run) -> list[Attempt]:
    [evaluation] = await world.store.runs.evaluations(run.id)
    return [one async for one in world.store.attempts.whole(evaluation.id)]


async def test_the_same_requests_are_not_made_again() -> None:
    world = World()
    world.model.listed_price = Price(Decimal(1), Decimal(1), "test")
    first = await world.run()
    asked = len(world.model.requests)
    second = await world.run(reuse=True, budget=Budget(usd=Decimal("0.000001")))
    assert second.state is State.SUCCEEDED
    assert len(world.model.requests) == asked
    [origin] = await world.store.runs.evaluations(first.id)
    [evaluation] = await world.store.runs.evaluations(second.id)
    for one in await attempts_of(world, second):
        assert one.outcome is Outcome.CORRECT
        assert one.details[REUSED_FROM] == origin.id
        assert (one.timing, one.calls, one.tries, one.cost_usd) == (None, (), 0, 0)
    summary = evaluation.summary
    assert summary is not None
    assert (summary.reused, summary.scored, summary.cost_usd, summary.latency) == (4, 4, 0, {})
    assert (summary.tokens.input, summary.tokens.unknown) == (0, 0)


async def test_a_run_asks_anew_unless_it_says_so() -> None:
    world = World()
    await world.run()
    await world.run()
    assert len(world.model.requests) == 8


async def test_only_further_samples_are_asked() -> None:
    world = World()
    await world.run()
    await world.run(reuse=True, samples=2)
    assert len(world.model.requests) == 8


@pytest.mark.parametrize(
    "changes",
    [{"generation": Generation(temperature=0.5)}, {"base_url": "http://127.0.0.1:9/v1"}],
    ids=["settings", "address"],
)
async def test_other_settings_are_other_requests(changes: dict[str, object]) -> None:
    world = World()
    await world.run()
    world.model.endpoint = str(changes.get("base_url", world.model.endpoint))
    await world.run(reuse=True, **changes)
    assert len(world.model.requests) == 8


async def test_answers_of_other_users_are_not_taken() -> None:
    world = World()
    await run_of(world, "ada")
    await run_of(world, "ben")
    assert len(world.model.requests) == 8
    await run_of(world, "ada")
    assert len(world.model.requests) == 8


@pytest.mark.parametrize("has_baseline", [False, True])
async def test_failures_and_refusals_are_asked_again(*, has_baseline: bool) -> None:
    replies = {"Say a.": Completion("", refusal="no"), "Say b.": ServerError("asked to fail", status=500)}

    def script(request: Request, number: int) -> Completion | ServerError:
        return replies.get(request.prompt.text) or right(request, number)

    world = World(model=ScriptedModel(script))
    first = await world.run()
    world.model.requests.clear()
    replies.clear()
    again = await (world.run(baseline=first.id) if has_baseline else world.run(reuse=True))
    assert {one.prompt.text for one in world.model.requests} == {"Say a.", "Say b."}
    assert {one.outcome for one in await attempts_of(world, again)} == {Outcome.CORRECT}


async def test_an_answer_that_is_reused_twice_names_the_evaluation_that_asked() -> None:
    world = World()
    first = await world.run()
    await world.run(reuse=True)
    third = await world.run(reuse=True)
    [origin] = await world.store.runs.evaluations(first.id)
    assert [one.details[REUSED_FROM] for one in await attempts_of(world, third)] == [origin.id] * 4


async def test_answers_that_call_tools_are_not_reused() -> None:
    tools: Card = replace(CARD, needs=frozenset({Need.TOOLS}))
    world = World(benchmark=LetterBenchmark(card=tools))
    with pytest.raises(InvalidValueError, match="cannot be reused"):
        await world.run(reuse=True)


async def test_answers_to_requests_with_headers_are_not_taken() -> None:
    world = World()
    await world.run(headers={"X-Route": "a"})
    await world.run(reuse=True)
    assert len(world.model.requests) == 8
    with pytest.raises(InvalidValueError, match="request headers"):
        await world.run(reuse=True, headers={"X-Route": "a"})


NEW = "test/new"


async def raced(world: World, baseline: Run, **changes: object) -> Run:
    models = (*baseline.spec.models, NEW)
    spec = replace(baseline.spec, models=models, baseline=baseline.id, **changes)
    return await execute_run(world.engine, (await create_run(world.engine, spec)).id)


async def test_a_baseline_gives_the_answers_of_its_run_and_other_models_are_asked() -> None:
    world = World()
    baseline = await world.run()
    newer = await world.run()
    await raced(world, newer)
    world.model.requests.clear()
    run = await raced(world, baseline)
    assert run.state is State.SUCCEEDED
    assert len(world.model.requests) == 4
    [origin] = await world.store.runs.evaluations(baseline.id)
    old, new = await world.store.runs.evaluations(run.id)
    taken = [one async for one in world.store.attempts.whole(old.id)]
    assert [(one.details[REUSED_FROM], one.tries) for one in taken] == [(origin.id, 0)] * 4
    asked = [one async for one in world.store.attempts.whole(new.id)]
    assert [REUSED_FROM in one.details for one in asked] == [False] * 4


async def test_a_baseline_that_was_asked_otherwise_is_refused() -> None:
    world = World()
    baseline = await world.run()
    with pytest.raises(InvalidValueError, match="what would be asked now of 'letters': samples differ"):
        await raced(world, baseline, samples=2)
    other = replace(baseline, spec=replace(baseline.spec, models=("test/unknown",)))
    with pytest.raises(InvalidValueError, match="has no evaluation of 'test/unknown' on 'letters'"):
        await raced(world, other)
