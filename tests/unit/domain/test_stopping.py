"""Rules by which a run ends early, and the layout of what is asked until then."""

from dataclasses import replace

import numpy as np
import pytest

from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError
from assay.domain.run import EvaluationId, RunSpec
from assay.domain.shard import in_waves, waves_of
from assay.domain.stopping import Settled, Stopped, StopRule
from benchmarks import races
from tests.builders import Seeded


@pytest.mark.parametrize("text", ["score > 0.8", "score>=.8", " score < 0.80 "])
def test_a_bar_is_read_from_a_condition(text: str) -> None:
    assert StopRule.parse(text) == StopRule(bar=0.8)
    assert StopRule.parse(f"{text}, alpha 0.1") == StopRule(alpha=0.1, bar=0.8)


def test_a_comparison_is_read_from_a_condition() -> None:
    assert StopRule.parse("decided") == StopRule()
    assert StopRule.parse("better, alpha .01") == StopRule(alpha=0.01, until="better")
    assert StopRule.parse(" equivalent within 2.5 points ") == StopRule(margin=0.025, until="equivalent")


@pytest.mark.parametrize(
    "text", ["", "0.8", "score > 80 %", "accuracy > 0.8", "score > 0.8 and", "score > 0", "score > 1"]
)
def test_other_conditions_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidValueError, match=r"score > 0\.8|between 0 and 1"):
        StopRule.parse(text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"margin": 0.0}, "margin must be above 0"),
        ({"alpha": 0.6}, "alpha must lie between"),
        ({"bar": 0.5, "until": "better"}, "belong to a comparison of models"),
    ],
)
def test_a_rule_is_checked_when_it_is_made(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        replace(StopRule(), **changes)


def test_a_comparison_takes_two_models_and_a_bar_one() -> None:
    with pytest.raises(InvalidValueError, match="needs two models"):
        RunSpec(("m/a",), ("letters",), stop=StopRule())
    with pytest.raises(InvalidValueError, match="17 models are too many"):
        RunSpec(tuple(f"m/{number}" for number in range(17)), ("letters",), stop=StopRule())
    assert RunSpec(("m/a",), ("letters",), stop=StopRule(bar=0.5)).stop is not None


def test_all_claims_of_a_run_share_alpha() -> None:
    assert StopRule().comparisons(4, 2) == 12
    assert StopRule(bar=0.5).comparisons(4, 2) == 8


def test_labels_and_sentences_say_all_there_is() -> None:
    assert StopRule(until="better").label == "until better, margin 0.01, alpha 0.05"
    settled = (Settled("m/b", "equivalent", 90), Settled("m/c", "better", 1000))
    assert Stopped(1000, 12032, 12032, settled).sentence == (
        "stopped: decided after 1,000 of 12,032 items (equivalent to m/b, better than m/c)"
    )


@pytest.mark.parametrize("samples", [1, 3, 40])
def test_waves_hold_whole_items_and_grow_with_what_was_asked(samples: int) -> None:
    ids = tuple(ItemId(str(number)) for number in range(3000))
    evaluation = Seeded().evaluation(item_ids=ids, benchmark_size=3000, samples=samples)
    waves = waves_of(evaluation, connections=64)
    assert [one.start for one in waves] == [0, *(one.stop for one in waves[:-1])]
    assert waves[-1].stop == 3000 * samples
    sizes = [one.stop - one.start for one in waves]
    assert all(size % samples == 0 for size in sizes)
    assert sizes[0] >= 16
    assert all(size <= max(16, one.start / 32) + samples for size, one in zip(sizes, waves, strict=True))
    keys = [key for one in waves for key in one.keys(ids, range(3000), together=samples)]
    assert len(set(keys)) == 3000 * samples
    assert [key.sample for key in keys[:samples]] == list(range(samples))
    assert {key.item_id for key in keys[:samples]} == {"0"}


def test_the_simulated_waves_are_those_that_are_asked() -> None:
    ids = tuple(ItemId(str(number)) for number in range(3000))
    evaluation = Seeded().evaluation(item_ids=ids, benchmark_size=3000)
    assert [one.stop for one in waves_of(evaluation, connections=16)] == list(races.waves(3000))


def test_simulated_races_are_decided_and_hardly_ever_wrong() -> None:
    source = np.random.default_rng(1)
    false, decided, asked = races.simulate(races.answered("one ahead", 3, 400, source), 60, source)
    assert false <= 0.1
    assert 0.1 < decided < asked <= 1


def test_models_take_turns_on_one_benchmark_after_the_other() -> None:
    names = [("m/a", "letters"), ("m/a", "sums"), ("m/b", "letters"), ("m/b", "sums")]
    evaluations = [
        Seeded(evaluation_id=f"{model} {benchmark}").evaluation(model=model, benchmark=benchmark)
        for model, benchmark in names
    ]
    shards = [wave for one in evaluations for wave in waves_of(replace(one, samples=4), connections=1)]
    turns = [(one.evaluation_id, one.start) for one in in_waves(shards, evaluations)]
    assert turns == [
        (EvaluationId(f"{model} {benchmark}"), start)
        for benchmark in ("letters", "sums")
        for start in (0, 8)
        for model in ("m/a", "m/b")
    ]
