"""Models are compared item by item, and the verdict is a sentence."""

from collections.abc import Sequence
from dataclasses import replace

from assay.domain.attempt import Attempt
from assay.domain.run import Evaluation, EvaluationId, RunId
from assay.domain.stats import Verdict
from assay.engine.results.compare import compare, model_pairs
from tests.builders import FINGERPRINT, NOON, Seeded, World, attempt


async def stored(world: World, model: str, scores: Sequence[float | None], **changes: object) -> Evaluation:
    seeded = Seeded(run=replace(Seeded().run, id=model), evaluation_id=f"evaluation-{model}")
    evaluation = seeded.evaluation(model=model, **changes)
    await world.store.runs.add(seeded.run, [evaluation], [])
    await world.store.attempts.add([_attempt(evaluation.id, n, score) for n, score in enumerate(scores)])
    return evaluation


def _attempt(evaluation_id: EvaluationId, number: int, score: float | None) -> Attempt:
    outcome = "timeout" if score is None else "correct" if score else "incorrect"
    made = attempt(str(number), evaluation_id=evaluation_id, score=score, started_at=NOON)
    return replace(made, outcome=type(made.outcome)(outcome))


async def test_a_clear_difference_is_called_better() -> None:
    world = World()
    ours = await stored(world, "good", [1.0] * 50)
    theirs = await stored(world, "weak", [0.0] * 25 + [1.0] * 25)
    (found,) = await compare(world.store.attempts, model_pairs([ours, theirs]))
    assert found.result is not None
    assert found.result.verdict is Verdict.BETTER
    assert found.sentence.startswith("good is better than weak on letters by 50.0 points")
    assert found.differing == ()


async def test_only_items_with_a_verdict_on_both_sides_count() -> None:
    world = World()
    ours = await stored(world, "a", [1.0, 1.0, None, 1.0])
    theirs = await stored(world, "b", [1.0, None, 0.0, 0.0])
    (found,) = await compare(world.store.attempts, [(ours, theirs)])
    assert found.result is not None
    assert (found.result.n, found.result.wins) == (2, 1)
    assert found.result.verdict is Verdict.INCONCLUSIVE
    assert found.sentence.startswith("Not enough items")


async def test_no_shared_item_is_said_and_not_computed() -> None:
    world = World()
    ours = await stored(world, "a", [1.0, None])
    theirs = await stored(world, "b", [None, 1.0])
    (found,) = await compare(world.store.attempts, [(ours, theirs)])
    assert found.result is None
    assert found.sentence == "a and b share no scored item on letters."


async def test_what_is_not_like_for_like_is_named() -> None:
    world = World()
    ours = await stored(world, "a", [1.0, 0.0])
    theirs = await stored(world, "b", [1.0, 1.0], fingerprint=replace(FINGERPRINT, data_revision="hub:1"))
    (found,) = await compare(world.store.attempts, [(ours, theirs)])
    assert found.differing == ("data_revision",)
    assert found.sentence.endswith("Not like for like: they differ in data_revision.")


async def test_several_comparisons_are_adjusted() -> None:
    world = World()
    good = await stored(world, "good", [1.0] * 40)
    weak = await stored(world, "weak", [0.0] * 10 + [1.0] * 30)
    bad = await stored(world, "bad", [0.0] * 40)
    found = await compare(world.store.attempts, model_pairs([good, weak, bad]))
    assert len(found) == 3
    for one in found:
        assert one.result is not None
        assert one.result.adjusted_p is not None
        assert one.result.adjusted_p >= one.result.p_value


async def test_each_sentence_tells_which_runs_it_is_about() -> None:
    world = World()
    evaluations = [
        replace(await stored(world, f"{run}-{model}", [1.0, 0.0]), model=model, run_id=RunId(run * 8))
        for run in "ab"
        for model in ("good", "weak")
    ]
    found = await compare(world.store.attempts, model_pairs(evaluations))
    assert len({one.sentence for one in found}) == len(found) == 6
    assert "good (aaaaaaaa) from weak (bbbbbbbb)" in found[2].sentence
