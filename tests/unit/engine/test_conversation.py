"""Attempts of several calls: each prompt may depend on the replies before it."""

from dataclasses import dataclass, replace

import pytest

from assay.domain.attempt import AttemptKey, Call
from assay.domain.benchmark import Ask, Card, Cue, Item, ItemId, ItemSet, Need, Services, Tables
from assay.domain.calls.messages import Completion, Generation, Prompt, Usage, total_usage
from assay.domain.errors import AssayError, InvalidValueError, RejectedError, ServerError, UnauthorizedError
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, State
from assay.domain.summary import Tokens
from assay.engine.execution import control
from assay.engine.execution.recording import RecordedReplies
from assay.engine.execution.run_loop import execute_run
from assay.engine.ports import Request
from assay.engine.stores.runs import NewRun
from tests.builders import CARD, NOON, LetterBenchmark, ScriptedModel, Seeded, World
from tests.contracts.test_fleet_store import nothing_more
from tests.stores import memory_stores


@dataclass(frozen=True)
class SpellingBenchmark(LetterBenchmark):
    """Asks for every letter three times, and takes the last reply."""

    def load(self, tables: Tables) -> ItemSet:
        async def converse(item: Item, ask: Ask, _services: Services) -> Completion:
            said = ""
            for number in range(3):
                prompt = Prompt.of_user(f"Say {item.expected} for the {number}. time; you said {said!r}.")
                said = (await ask(prompt, cue=Cue(right=item.expected))).answer
            return Completion(said)

        return replace(super().load(tables), converse=converse)


def said(request: Request, _number: int) -> Completion:
    return Completion(request.cue().right or "", usage=Usage(input_tokens=10, output_tokens=1))


def world_of(script: object = said) -> World:
    return World(benchmark=SpellingBenchmark(), model=ScriptedModel(script))  # pyright: ignore[reportArgumentType] # a script


async def test_every_call_is_kept_and_counted() -> None:
    world = world_of()
    run = await world.run()
    assert run.state is State.SUCCEEDED
    (evaluation,) = await world.store.runs.evaluations(run.id)
    attempts = [attempt async for attempt in world.store.attempts.whole(evaluation.id)]
    assert len(attempts) == 4
    for attempt in attempts:
        assert attempt.outcome is Outcome.CORRECT
        assert len(attempt.calls) == 3
        assert (attempt.usage.input_tokens, attempt.usage.output_tokens) == (30, 3)
    prompts = {request.prompt.text for request in world.model.requests}
    assert "Say a for the 2. time; you said 'a'." in prompts


async def test_each_question_has_its_own_tries() -> None:
    """Two failures at each of three questions: the policy allows three tries of one, not of all together."""
    failures: dict[str, int] = {}

    def flaky(request: Request, number: int) -> Completion | AssayError:
        failures[request.prompt.text] = failures.get(request.prompt.text, 0) + 1
        if failures[request.prompt.text] <= 2:
            return ServerError("busy", status=500)
        return said(request, number)

    world = world_of(flaky)
    run = await world.run()
    (evaluation,) = await world.store.runs.evaluations(run.id)
    attempts = [attempt async for attempt in world.store.attempts.whole(evaluation.id)]
    assert {attempt.outcome for attempt in attempts} == {Outcome.CORRECT}
    assert {len(attempt.calls) for attempt in attempts} == {9}
    assert {attempt.usage.input_tokens for attempt in attempts} == {30}


async def test_a_question_without_reply_ends_the_attempt_with_its_calls() -> None:
    def refuses_the_second(request: Request, number: int) -> Completion | AssayError:
        return (
            RejectedError("no", status=400) if "the 1. time" in request.prompt.text else said(request, number)
        )

    world = world_of(refuses_the_second)
    run = await world.run()
    (evaluation,) = await world.store.runs.evaluations(run.id)
    attempts = [attempt async for attempt in world.store.attempts.whole(evaluation.id)]
    assert {attempt.outcome for attempt in attempts} == {Outcome.MODEL_ERROR}
    assert {len(attempt.calls) for attempt in attempts} == {2}


async def test_an_interrupted_attempt_goes_on_with_the_replies_that_are_stored() -> None:
    world = World(benchmark=SpellingBenchmark(size=1), model=ScriptedModel(said))
    run = await world.run(max_connections=1, budget=Budget(tokens=20))
    assert (run.state, len(world.model.requests)) == (State.PAUSED, 2)
    (evaluation,) = await world.store.runs.evaluations(run.id)
    key = AttemptKey(evaluation.item_ids[0], 0)
    assert len(await world.store.steps.steps_of(evaluation.id, key)) == 2

    engine = world.engine
    await control.set_budget(world.store.runs, run.id, Budget(tokens=1_000))
    await control.resume(engine.lifecycle, run.id)
    run = await execute_run(engine, run.id)
    assert (run.state, len(world.model.requests)) == (State.SUCCEEDED, 3)
    attempt = await world.store.attempts.get(evaluation.id, key)
    assert (len(attempt.calls), attempt.usage.input_tokens) == (3, 30)
    assert await world.store.steps.steps_of(evaluation.id, key) == ()


async def test_replies_to_other_prompts_than_now_are_asked_for_again() -> None:
    stores = memory_stores()
    seeded = Seeded()
    await stores.runs.create(NewRun(seeded.run, (seeded.evaluation(),), (), ()), within=nothing_more)
    asked: list[str] = []

    async def replies(*prompts: str) -> list[str]:
        recorded = RecordedReplies(stores.steps, seeded.evaluation().id, AttemptKey(ItemId("0"), 0))

        async def reply(text: str) -> str:
            async def asking(calls: list[Call]) -> Completion:
                asked.append(text)
                calls.append(Call(NOON, 1.0, status=200))
                return Completion(f"{text} {len(asked)}")

            calls: list[Call] = []
            completion = await recorded.reply("model", Prompt.of_user(text), asking, calls)
            assert len(calls) == 1
            return completion.answer

        return [await reply(text) for text in prompts]

    assert await replies("a", "b", "c") == ["a 1", "b 2", "c 3"]
    assert await replies("a", "x") == ["a 1", "x 4"]
    assert await replies("a", "x", "c") == ["a 1", "x 4", "c 5"]


async def test_the_model_that_plays_the_user_is_recorded_apart() -> None:
    @dataclass(frozen=True)
    class TalkingBenchmark(LetterBenchmark):
        card: Card = replace(CARD, needs=frozenset({Need.USER_MODEL}))

        def load(self, tables: Tables) -> ItemSet:
            async def converse(item: Item, ask: Ask, services: Services) -> Completion:
                user = services.required_user_model()
                words = await user.ask(
                    Prompt.of_user("Speak."), generation=Generation(), cue=Cue(right="hello")
                )
                return await ask(Prompt.of_user(words.answer), cue=Cue(right=item.expected))

            return replace(super().load(tables), converse=converse)

    world = World(benchmark=TalkingBenchmark(), model=ScriptedModel(said))
    with pytest.raises(InvalidValueError, match="--user-model"):
        await world.run()
    run = await world.run(user_model=Judging(("test/user",)))
    assert run.state is State.SUCCEEDED
    (evaluation,) = await world.store.runs.evaluations(run.id)
    assert evaluation.fingerprint.user == "test/user"
    attempts = [attempt async for attempt in world.store.attempts.whole(evaluation.id)]
    assert {tuple(call.role for call in attempt.calls) for attempt in attempts} == {("model", "user")}
    assert {attempt.usage.input_tokens for attempt in attempts} == {10}
    assert {(attempt.tries, attempt.judge_cost_usd) for attempt in attempts} == {(1, None)}
    assert evaluation.summary is not None
    assert evaluation.summary.judge_tokens == Tokens(40, 4)


async def test_a_fatal_error_stops_every_conversation() -> None:
    def locked_out(request: Request, number: int) -> Completion | AssayError:
        return UnauthorizedError("no") if number > 4 else said(request, number)

    world = world_of(locked_out)
    run = await world.run(max_connections=1)
    assert run.state is State.FAILED
    assert len(world.model.requests) == 5


async def test_the_budget_is_checked_before_each_call_and_counts_those_of_attempts_under_way() -> None:
    world = world_of()
    run = await world.run(max_connections=1, budget=Budget(tokens=20))
    assert run.state is State.PAUSED
    assert len(world.model.requests) == 2


async def test_where_no_usage_is_reported_each_call_is_estimated() -> None:
    world = World(
        benchmark=SpellingBenchmark(size=40),
        model=ScriptedModel(lambda request, _: Completion(request.cue().right or "")),
    )
    # A call has about nine tokens, an attempt three calls.
    run = await world.run(max_connections=1, budget=Budget(tokens=270))
    assert run.state is State.PAUSED
    assert 25 <= len(world.model.requests) <= 35


@pytest.mark.parametrize(
    ("usages", "total"),
    [
        ([], Usage()),
        ([Usage(1, 2), Usage(3, 4)], Usage(4, 6)),
        ([Usage(1, 2), Usage(3, None)], Usage(4, None)),
    ],
)
def test_a_sum_is_unknown_where_a_part_is(usages: list[Usage], total: Usage) -> None:
    assert total_usage(usages) == total
