"""Attempts of several calls: each prompt may depend on the replies before it."""

from dataclasses import dataclass, replace

import pytest

from assay.domain.benchmark import Ask, Cue, Item, ItemSet, Tables
from assay.domain.errors import AssayError, RejectedError, ServerError, UnauthorizedError
from assay.domain.messages import Completion, Prompt, Usage, total_usage
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, State
from assay.engine.ports import Request
from tests.builders import LetterBenchmark, ScriptedModel, World


@dataclass(frozen=True)
class SpellingBenchmark(LetterBenchmark):
    """Asks for every letter three times, and takes the last reply."""

    def load(self, tables: Tables) -> ItemSet:
        async def converse(item: Item, ask: Ask) -> Completion:
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
