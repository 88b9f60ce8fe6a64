from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import (
    EquivalenceResult,
    EquivalenceRule,
    EquivalenceVerdict,
    ItemScores,
    clopper_pearson,
    equivalence,
    pairs_needed,
    same_model_noise,
)
from benchmarks.fidelity import trial

RULE = EquivalenceRule()


def both(ours: float, theirs: float, count: int, *, name: str = "item") -> list[ItemScores]:
    return [ItemScores((ours,), (theirs,), f"{name} {number}") for number in range(count)]


def judged(items: list[ItemScores], *, samples: int = 1, candidates: int = 1) -> EquivalenceResult:
    return equivalence(items, samples=samples, rule=RULE, candidates=candidates)


def test_the_same_scores_are_equivalent_once_a_rare_loss_would_have_shown() -> None:
    assert judged(both(1, 1, 128)).verdict is EquivalenceVerdict.INCONCLUSIVE
    found = judged(both(1, 1, 129))
    assert found.verdict is EquivalenceVerdict.EQUIVALENT
    assert (found.planned, found.missing, found.margin, found.level) == (129, 0, 0.03, 0.95)


@pytest.mark.parametrize("lost", range(1, 12))
def test_the_limits_of_rare_losses_are_as_wide_as_exact_ones(lost: int) -> None:
    found = judged(both(0, 1, lost, name="lost") + both(1, 1, 1_000 - lost))
    exact = clopper_pearson(lost, 1_000).high
    assert found.limits.low == pytest.approx(-exact, rel=0.06)
    assert found.limits.low <= -exact * 0.99


def test_the_limits_of_many_differences_are_the_normal_ones() -> None:
    found = judged(both(1, 0, 2_000, name="won") + both(0, 1, 2_000, name="lost") + both(1, 1, 1_000))
    reach = 1.96 * (0.8 / 5_000) ** 0.5
    assert found.limits == pytest.approx((-reach, reach), rel=0.02)


@pytest.mark.parametrize(("sign", "verdict"), [(1, "better"), (-1, "worse")])
def test_a_difference_beyond_chance_has_a_direction(sign: int, verdict: str) -> None:
    ours, theirs = (1, 0) if sign > 0 else (0, 1)
    found = judged(both(ours, theirs, 30, name="lost") + both(1, 1, 470))
    assert found.verdict == verdict
    assert found.paired is not None
    assert found.paired.difference == pytest.approx(sign * 0.06)


def test_a_small_difference_within_the_margin_for_certain_is_equivalent() -> None:
    found = judged(both(0, 1, 30, name="lost") + both(1, 1, 9_970))
    assert found.paired is not None
    assert found.paired.verdict == "worse"
    assert found.verdict is EquivalenceVerdict.EQUIVALENT


def test_missing_scores_never_count_for_equivalence() -> None:
    complete = both(1, 1, 960)
    lost = [ItemScores((), (1.0,), f"lost {number}") for number in range(40)]
    unasked = [ItemScores((1.0,), (), f"unasked {number}") for number in range(40)]
    assert judged(complete).verdict is EquivalenceVerdict.EQUIVALENT
    for missing in (lost, unasked):
        found = judged(complete + missing)
        assert found.missing == 40
        assert found.verdict is EquivalenceVerdict.INCONCLUSIVE
        # Nor do they count as a loss.
        assert found.paired is not None
        assert (found.paired.n, found.paired.difference) == (960, 0.0)


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=2),
            st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=2),
        ),
        min_size=1,
        max_size=40,
    ),
    st.data(),
)
def test_taking_scores_away_never_narrows_the_limits(
    scores: list[tuple[list[float], list[float]]], data: st.DataObject
) -> None:
    items = [ItemScores(ours, theirs, str(number)) for number, (ours, theirs) in enumerate(scores)]
    place = data.draw(st.integers(0, len(items) - 1))
    fewer = [*items[:place], items[place]._replace(ours=items[place].ours[:-1]), *items[place + 1 :]]
    before = equivalence(items, samples=2, rule=RULE).limits
    after = equivalence(fewer, samples=2, rule=RULE).limits
    if before.low > -1 and before.high < 1:
        assert after.high - after.low >= before.high - before.low - 1e-9


def test_without_a_score_at_both_there_is_no_verdict() -> None:
    found = judged([ItemScores((), (1.0,), "one"), ItemScores((), (), "two")])
    assert (found.paired, found.verdict) == (None, EquivalenceVerdict.INCONCLUSIVE)
    assert (found.missing, found.items_needed) == (3, None)
    with pytest.raises(InvalidValueError, match="no item was asked"):
        judged([])


def test_candidates_of_one_family_need_more_evidence() -> None:
    items = both(0, 1, 7, name="lost") + both(1, 1, 93)
    assert judged(items).verdict is EquivalenceVerdict.WORSE
    found = judged(items, candidates=4)
    assert found.verdict is EquivalenceVerdict.INCONCLUSIVE
    assert found.level == pytest.approx(0.9875)


def test_items_of_one_passage_count_as_one_unit() -> None:
    spread = both(0, 1, 60, name="lost") + both(1, 0, 60, name="won") + both(1, 1, 1880)
    passages = [item._replace(cluster=str(number // 20)) for number, item in enumerate(spread)]
    assert judged(spread).verdict is EquivalenceVerdict.EQUIVALENT
    assert judged(passages).verdict is EquivalenceVerdict.INCONCLUSIVE


@pytest.mark.parametrize(
    "values", [{"margin": 0.0}, {"margin": 0.6}, {"alpha": 0.0}, {"alpha": 0.5}, {"power": 1.0}]
)
def test_a_rule_has_sensible_figures(values: dict[str, float]) -> None:
    with pytest.raises(InvalidValueError, match=next(iter(values))):
        EquivalenceRule(**values)


def test_the_size_grows_with_noise_candidates_and_a_smaller_margin() -> None:
    assert pairs_needed(0.0, 0.03) == 411
    assert pairs_needed(0.05, 0.03) == 996
    assert RULE.items_needed(0.05, 3) == pairs_needed(0.05, 0.03, level=1 - 0.05 / 3) == 1_262
    assert pairs_needed(0.05, 0.015) > 3 * pairs_needed(0.05, 0.03)
    for values in ((-0.1, 0.03), (1.1, 0.03), (0.1, 0.0), (0.1, 1.0)):
        with pytest.raises(InvalidValueError, match="give a noise"):
            pairs_needed(*values)


def test_no_flip_among_few_items_promises_little() -> None:
    assert same_model_noise(0.0, 50, samples=2) == pytest.approx(0.01)
    assert same_model_noise(0.05, 10**9, samples=2) == pytest.approx(0.05)


def test_simulated_providers_get_the_right_verdicts_at_the_size_that_is_asked_for() -> None:
    trials = [trial(seed) for seed in range(24)]
    found = Counter((name, verdict) for one in trials for name, verdict in one.verdicts.items())
    # The script has 200 repeats; of these 24, one verdict in ten may be another.
    assert found["faithful", EquivalenceVerdict.EQUIVALENT] >= 20
    assert found["degraded", EquivalenceVerdict.WORSE] >= 19
    assert found["degraded", EquivalenceVerdict.EQUIVALENT] <= 2
    assert found["faithful", EquivalenceVerdict.WORSE] + found["faithful", EquivalenceVerdict.BETTER] <= 3
