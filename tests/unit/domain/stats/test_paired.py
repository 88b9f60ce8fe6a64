import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import (
    IntervalMethod,
    PairedTest,
    Verdict,
    clustered_standard_error,
    paired_difference,
    tango,
)

Pairs = list[tuple[float, float]]

WIN, LOSS, BOTH, NEITHER = (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0)

grid = st.sampled_from([0.0, 0.25, 0.5, 1.0])
pair_lists = st.one_of(
    st.lists(st.sampled_from([WIN, LOSS, BOTH, NEITHER]), min_size=1, max_size=60),
    st.lists(st.tuples(grid, grid), min_size=1, max_size=40),
)


def test_yes_or_no_items() -> None:
    result = paired_difference([WIN] * 20 + [LOSS] * 2 + [BOTH] * 10 + [NEITHER] * 8)
    assert (result.difference, result.wins, result.losses, result.ties, result.n) == (0.45, 20, 2, 18, 40)
    assert (result.test, result.clusters) == (PairedTest.MCNEMAR, None)
    assert abs(result.p_value - 0.0001211166) < 1e-9
    assert result.interval == tango(20, 2, 40)
    assert result.verdict is Verdict.BETTER


def test_partial_scores_get_a_paired_t_interval_and_a_permutation_test() -> None:
    # Student's (1908) hours of sleep, divided by ten: t interval 0.0700 to 0.2460, permutation p = 4/1024.
    gains = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    result = paired_difference([(gain / 10, 0.0) for gain in gains])
    assert (result.test, result.interval.method) == (PairedTest.SIGN_FLIP_EXACT, IntervalMethod.STUDENT)
    assert abs(result.difference - 0.158) < 1e-12
    assert abs((result.standard_error or 0.0) - 0.0388958724) < 1e-9
    assert abs(result.interval.low - 0.0700114237) < 1e-8
    assert abs(result.interval.high - 0.2459885763) < 1e-8
    assert abs(result.p_value - 0.00390625) < 1e-12


def test_correlation_of_item_scores() -> None:
    assert abs((paired_difference([BOTH, NEITHER, BOTH, NEITHER]).correlation or 0.0) - 1) < 1e-12
    assert abs((paired_difference([WIN, LOSS, WIN, LOSS]).correlation or 0.0) + 1) < 1e-12
    assert paired_difference([BOTH, WIN]).correlation is None


def test_repeats_of_one_item_are_not_evidence() -> None:
    pairs = [WIN, WIN, WIN, WIN, LOSS, BOTH]
    item_ids = [str(index) for index in range(6)]
    once, repeated = paired_difference(pairs), paired_difference(pairs * 20, item_ids * 20)
    assert paired_difference(pairs * 20).verdict is Verdict.BETTER
    assert repeated.verdict is once.verdict is Verdict.INCONCLUSIVE
    assert (repeated.n, repeated.clusters) == (120, 6)
    assert repeated.interval.method is IntervalMethod.CLUSTERED_STUDENT
    assert abs(repeated.p_value - once.p_value) < 1e-12
    expected = clustered_standard_error([ours - theirs for ours, theirs in pairs])
    assert abs((repeated.standard_error or 0.0) - (expected or 1.0)) < 1e-9


def test_clusters_that_agree_are_enough_when_there_are_enough_of_them() -> None:
    pairs, passages = [WIN, WIN, BOTH] * 12, [str(index // 3) for index in range(36)]
    assert paired_difference(pairs, passages).test is PairedTest.SIGN_FLIP_EXACT
    assert paired_difference(pairs, passages).verdict is Verdict.BETTER
    assert paired_difference([(b, a) for a, b in pairs], passages).verdict is Verdict.WORSE


def test_few_items_are_inconclusive_whatever_they_show() -> None:
    result = paired_difference([WIN] * 5)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.minimum_detectable_effect is None
    assert paired_difference([(0.9, 0.2)]).verdict is Verdict.INCONCLUSIVE
    assert paired_difference([(0.9, 0.2)] * 5).minimum_detectable_effect is None


@pytest.mark.parametrize(
    ("n", "score", "verdict"),
    [
        (40, 1.0, Verdict.INCONCLUSIVE),
        (182, 0.5, Verdict.INCONCLUSIVE),
        (183, 0.5, Verdict.TIED),
        (300, 1.0, Verdict.TIED),
    ],
)
def test_no_difference_at_all_is_a_tie_only_with_enough_items(n: int, score: float, verdict: Verdict) -> None:
    result = paired_difference([(score, score)] * n)
    assert result.verdict is verdict
    assert result.interval.low < 0 < result.interval.high
    assert result.minimum_detectable_effect is not None


def test_a_small_difference_over_many_items_is_a_tie_within_the_margin() -> None:
    pairs = [WIN] * 22 + [LOSS] * 20 + [BOTH] * 2000
    assert paired_difference(pairs).verdict is Verdict.TIED
    assert paired_difference(pairs, margin=0.005).verdict is Verdict.INCONCLUSIVE


def test_a_narrow_interval_of_few_partial_scores_is_no_tie() -> None:
    assert paired_difference([(0.5, 0.5)] * 99 + [(0.5, 0.4)]).verdict is Verdict.INCONCLUSIVE


def test_an_adjusted_p_value_decides() -> None:
    result = paired_difference([WIN] * 10 + [LOSS] * 2 + [BOTH] * 20)
    assert result.verdict is Verdict.BETTER
    assert result.adjusted(0.12).verdict is Verdict.INCONCLUSIVE
    assert result.adjusted(0.05).verdict is Verdict.INCONCLUSIVE
    assert result.adjusted(0.0499).verdict is Verdict.BETTER
    assert result.adjusted(0.12).p_value == result.p_value


def test_the_interval_reaches_zero_where_the_test_does_not_reject() -> None:
    result = paired_difference([WIN] * 5 + [BOTH] * 25)
    assert result.p_value == 0.0625
    assert tango(5, 0, 30).low > 0
    assert result.interval.low == 0


@settings(max_examples=50, deadline=None)
@given(pair_lists, st.booleans())
def test_swapping_the_models_mirrors_everything(pairs: Pairs, grouped: bool) -> None:  # noqa: FBT001  drawn by Hypothesis
    clusters = [str(index // 3) for index in range(len(pairs))] if grouped else None
    one = paired_difference(pairs, clusters)
    other = paired_difference([(theirs, ours) for ours, theirs in pairs], clusters)
    assert abs(one.difference + other.difference) < 1e-12
    assert abs(one.interval.low + other.interval.high) < 1e-9
    assert abs(one.p_value - other.p_value) < 1e-12
    assert (one.wins, one.losses, one.ties) == (other.losses, other.wins, other.ties)
    mirrored = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
    assert other.verdict is mirrored.get(one.verdict, one.verdict)


@settings(max_examples=50, deadline=None)
@given(pair_lists)
def test_the_interval_contains_the_difference_and_has_width(pairs: Pairs) -> None:
    result = paired_difference(pairs)
    assert -1 <= result.interval.low <= result.difference + 1e-12
    assert result.difference - 1e-12 <= result.interval.high <= 1
    assert result.interval.low < result.interval.high


def test_ignoring_clusters_tells_equal_models_apart_far_too_often() -> None:
    source = random.Random(8)  # noqa: S311  a reproducible draw
    passages = [str(index // 5) for index in range(100)]
    clustered = naive = 0
    for _ in range(80):
        shifts = [source.choice([WIN, LOSS, BOTH]) for _ in range(20)]
        pairs = [shift if source.random() < 0.8 else NEITHER for shift in shifts for _ in range(5)]
        clustered += paired_difference(pairs, passages).verdict in {Verdict.BETTER, Verdict.WORSE}
        naive += paired_difference(pairs).verdict in {Verdict.BETTER, Verdict.WORSE}
    assert clustered / 80 < 0.08
    assert naive / 80 > 0.2


def test_what_cannot_be_compared() -> None:
    with pytest.raises(InvalidValueError, match="nothing to compare"):
        paired_difference([])
    with pytest.raises(InvalidValueError, match="outside 0 to 1"):
        paired_difference([(0.5, 2.0)])
    with pytest.raises(InvalidValueError, match="margin"):
        paired_difference([WIN], margin=0)
