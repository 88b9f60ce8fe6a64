"""What is stored of log-probabilities, and how a run counts them."""

from dataclasses import replace

from assay.domain.attempt import Attempt
from assay.domain.calls.logprobs import Logprobs
from assay.domain.calls.messages import Completion, Generation, Usage
from assay.domain.errors import GraderError
from assay.domain.run import Run
from assay.domain.summary import Summary
from assay.engine.ports import Request
from tests.builders import LetterBenchmark, ScriptedModel, World, right
from tests.unit.engine.test_conversation import SpellingBenchmark

STORED = {"tokens": 2, "mean": -0.333333, "lowest": -0.5}


def sure(request: Request, number: int) -> Completion:
    """Replies to two of the four items have log-probabilities."""
    logprobs = Logprobs(2, -1 / 3, -0.5) if request.cue().right in {"a", "b"} else None
    return replace(right(request, number), logprobs=logprobs)


async def attempts_of(world: World, run: Run) -> tuple[list[Attempt], Summary]:
    [evaluation] = await world.store.runs.evaluations(run.id)
    assert evaluation.summary is not None
    return [one async for one in world.store.attempts.whole(evaluation.id)], evaluation.summary


async def test_figures_are_stored_with_the_attempts_that_have_them() -> None:
    world = World(model=ScriptedModel(sure))
    attempts, summary = await attempts_of(world, await world.run(generation=Generation(logprobs=True)))
    found = [one.details.get("logprobs") for one in attempts]
    assert sorted(found, key=str) == [None, None, STORED, STORED]
    assert summary.with_logprobs == 2
    assert all(one.generation.logprobs for one in world.model.requests)


async def test_a_reused_answer_keeps_them() -> None:
    world = World(model=ScriptedModel(sure))
    generation = Generation(logprobs=True)
    await world.run(generation=generation)
    _, summary = await attempts_of(world, await world.run(generation=generation, reuse=True))
    assert (summary.reused, summary.with_logprobs) == (4, 2)
    assert len(world.model.requests) == 4


async def test_those_of_several_calls_are_combined() -> None:
    def said(request: Request, _number: int) -> Completion:
        lowest = -1.0 - request.prompt.text.count("0.")
        usage = Usage(input_tokens=10, output_tokens=1)
        return Completion(request.cue().right or "", usage=usage, logprobs=Logprobs(1, lowest, lowest))

    world = World(benchmark=SpellingBenchmark(), model=ScriptedModel(said))
    attempts, _ = await attempts_of(world, await world.run(generation=Generation(logprobs=True)))
    assert [one.details["logprobs"] for one in attempts] == [
        {"tokens": 3, "mean": -1.333333, "lowest": -2.0}
    ] * 4


async def test_a_failed_grader_loses_none() -> None:
    class Failing(LetterBenchmark):
        async def grade(self, *_arguments: object) -> None:  # type: ignore[override]
            raise GraderError("no")

    world = World(benchmark=Failing(), model=ScriptedModel(sure))
    attempts, _ = await attempts_of(world, await world.run(generation=Generation(logprobs=True)))
    assert sum(one.has_logprobs for one in attempts) == 2
