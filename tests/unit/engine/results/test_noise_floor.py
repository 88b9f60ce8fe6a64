"""Differences that asking the same models again would change as much."""

import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Item, ItemId
from assay.domain.calls.messages import Completion, Usage
from assay.domain.run import Evaluation, EvaluationId
from assay.domain.stats import paired_difference
from assay.engine.ports import Request
from assay.engine.results.compare import Comparison, compare
from assay.engine.results.noise_floor import repeat_variances, variances_among, with_noise_floors
from assay.engine.results.summarise import summarise
from tests.builders import FINGERPRINT, ScriptedModel, Seeded, World, attempt

Scores = Sequence[Sequence[float]]
"""For each item, the score of each sample."""


async def evaluation(name: str, scores: Scores, *, model: str = "sim/a", version: str = "1") -> Evaluation:
    async def attempts() -> AsyncIterator[Attempt]:
        for item, samples in enumerate(scores):
            for sample, score in enumerate(samples):
                yield attempt(str(item), sample=sample, score=score)

    samples = len(scores[0])
    items = [Item(ItemId(str(item)), {}) for item in range(len(scores))]
    summary = await summarise(attempts(), benchmark=None, items=items, samples=samples)
    fingerprint = replace(FINGERPRINT, samples=samples, benchmark_version=version)
    made = Seeded().evaluation(id=EvaluationId(name), model=model, samples=samples)
    return replace(made, summary=summary, fingerprint=fingerprint)


async def test_a_summary_has_the_variance_between_the_samples_of_an_item() -> None:
    once = await evaluation("once", [[1.0], [0.0]])
    twice = await evaluation("twice", [[1.0, 0.0], [0.0, 0.0]])
    assert once.summary is not None
    assert twice.summary is not None
    assert once.summary.within_variance is None
    assert twice.summary.within_variance == 0.25


async def test_the_floor_is_known_from_runs_that_repeated_the_same() -> None:
    ours = await evaluation("ours", [[1.0], [0.0], [1.0], [1.0]])
    theirs = await evaluation("theirs", [[0.0], [0.0], [1.0], [1.0]], model="sim/b")
    repeated = await evaluation("repeated", [[1.0, 0.0], [0.0, 0.0]])
    other = await evaluation("other", [[1.0, 1.0], [0.0, 0.0]], version="2")
    both = await evaluation("both", [[1.0, 1.0], [0.0, 1.0]], model="sim/b")
    found = variances_among([ours, theirs], [other, repeated, both])
    assert found == {ours.id: 0.25, theirs.id: 0.25}
    compared = Comparison(ours, theirs, paired_difference([(1, 0), (0, 0), (1, 1), (1, 1)]), ())
    [noted] = with_noise_floors([compared], found)
    assert noted.noise_floor == pytest.approx(1.96 * math.sqrt(0.5 / 4), abs=1e-3)
    assert noted.is_within_noise
    assert noted.sentence.endswith("Within the noise floor: asking again changes up to 69.3 points.")


async def test_without_repeats_of_both_nothing_is_said() -> None:
    ours = await evaluation("ours", [[1.0, 1.0]])
    theirs = await evaluation("theirs", [[0.0]], model="sim/b")
    result = paired_difference([(1, 0)])
    [noted] = with_noise_floors([Comparison(ours, theirs, result, ())], variances_among([ours, theirs], []))
    assert noted.noise_floor is None
    assert "noise" not in noted.sentence


async def test_a_steady_model_has_no_noise() -> None:
    ours = await evaluation("ours", [[1.0, 1.0]])
    theirs = await evaluation("theirs", [[0.0, 0.0]], model="sim/b")
    result = paired_difference([(1, 0)])
    [noted] = with_noise_floors([Comparison(ours, theirs, result, ())], variances_among([ours, theirs], []))
    assert noted.noise_floor == 0.0
    assert not noted.is_within_noise


async def test_repeats_are_found_in_the_store() -> None:
    def fickle(request: Request, _number: int) -> Completion:
        is_right = request.sample % 2 == 0
        return Completion((request.cue().right or "") if is_right else "z", usage=Usage(1, 1))

    world = World(model=ScriptedModel(fickle))
    once = await world.run()
    await world.run(samples=2)
    again = await world.run()
    evaluations = [one for run in (once, again) for one in await world.store.runs.evaluations(run.id)]
    variances = await repeat_variances(world.store.runs, evaluations)
    assert variances == {one.id: 0.5 for one in evaluations}
    [noted] = with_noise_floors(
        await compare(world.store.attempts, [(evaluations[0], evaluations[1])]), variances
    )
    assert noted.noise_floor == pytest.approx(1.96 * math.sqrt(1 / 4), abs=1e-3)
    assert not noted.is_within_noise, "both scored the same"
