import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import (
    Estimate,
    Interval,
    IntervalMethod,
    clopper_pearson,
    missing_bounds,
    score_estimate,
    wilson,
)


def estimate(values: list[float], clusters: list[str] | None = None) -> tuple[Estimate, Interval]:
    result = score_estimate(values, clusters)
    assert result is not None
    assert result.interval is not None
    return result, result.interval


def test_no_values_have_no_score() -> None:
    assert score_estimate([], None) is None


def test_many_yes_or_no_items_get_wilson() -> None:
    result, interval = estimate([1.0] * 160 + [0.0] * 38)
    assert interval == wilson(160, 198)
    assert (result.value, result.n, result.clusters) == (160 / 198, 198, None)
    assert abs((result.standard_error or 0.0) - 0.028058) < 1e-6


def test_up_to_thirty_items_get_the_exact_interval() -> None:
    assert estimate([1.0] * 29 + [0.0])[1] == clopper_pearson(29, 30)
    assert estimate([1.0] * 29 + [0.0] * 2)[1].method is IntervalMethod.WILSON
    assert estimate([0.5, 1.0, 0.25])[1] == clopper_pearson(1.75, 3)


def test_many_partial_scores_get_the_bootstrap() -> None:
    assert estimate([0.0, 0.5, 1.0] * 20)[1].method is IntervalMethod.BOOTSTRAP


def test_clusters_of_one_are_no_clusters() -> None:
    values = [1.0, 0.0] * 40
    assert score_estimate(values, [str(index) for index in range(80)]) == score_estimate(values)


def test_repeats_of_an_item_do_not_narrow_the_interval() -> None:
    values, item_ids = [1.0, 1.0, 0.0, 1.0] * 15, [str(index) for index in range(60)]
    once, interval_once = estimate(values)
    many, interval_many = estimate(values * 8, item_ids * 8)
    assert interval_many.method is IntervalMethod.CLUSTERED_WILSON
    assert (many.n, many.clusters) == (480, 60)
    assert abs((many.standard_error or 0.0) - (once.standard_error or 1.0)) < 1e-9
    assert abs(interval_many.low - interval_once.low) < 0.01
    assert abs(interval_many.high - interval_once.high) < 0.01


def test_all_right_in_clusters_is_as_uncertain_as_its_clusters() -> None:
    result, interval = estimate([1.0] * 40, [str(index // 4) for index in range(40)])
    exact = clopper_pearson(10, 10)
    assert abs(interval.low - exact.low) < 1e-9
    assert (result.value, interval.high, interval.method) == (1.0, 1.0, IntervalMethod.UNANIMOUS)


def test_clusters_that_all_agree_still_have_an_interval() -> None:
    interval = estimate([1.0, 0.0] * 10, [str(index // 2) for index in range(20)])[1]
    assert interval.low < 0.4
    assert interval.high > 0.6


def test_one_item_repeated_says_almost_nothing() -> None:
    result, interval = estimate([1.0, 0.0, 1.0], ["a"] * 3)
    assert result.standard_error is None
    assert interval.low < 0.05
    assert interval.high > 0.95


def test_equal_partial_scores_have_an_interval() -> None:
    interval = estimate([0.1] * 100)[1]
    assert interval.method is IntervalMethod.UNANIMOUS
    assert 0.09 < interval.low < 0.1 < interval.high < 0.14


def test_a_trace_of_a_score_is_no_trouble() -> None:
    for trace in (1e-230, 1e-17, 1e-6):
        assert estimate([trace, 0.0])[1].high > 0.8
        assert estimate([1 - trace, 1.0])[1].low < 0.2
    nearly_all = [1 - 2e-12] + [1.0] * 39_999
    assert estimate(nearly_all, [str(index // 2) for index in range(40_000)])[1].low > 0.999


scores = st.lists(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)), min_size=1, max_size=80)


@settings(max_examples=40, deadline=None)
@given(scores, st.integers(1, 40))
def test_interval_contains_the_score_and_has_width(values: list[float], groups: int) -> None:
    for clusters in (None, [str(index % groups) for index in range(len(values))]):
        result, interval = estimate(values, clusters)
        assert 0 <= interval.low <= result.value + 1e-12
        assert result.value - 1e-12 <= interval.high <= 1
        assert interval.low < interval.high


# Items of very different difficulty, four repeats each: a naive interval covers the truth far too rarely.
@pytest.mark.parametrize(("items", "chances"), [(12, (0.2, 1.0)), (60, (0.1, 0.9)), (60, (0.85, 1.0))])
def test_clustered_coverage(items: int, chances: tuple[float, ...]) -> None:
    source = random.Random(11)  # noqa: S311  a reproducible draw
    truth = sum(chances) / len(chances)
    clusters = [str(index // 4) for index in range(items * 4)]
    covered = 0
    for _ in range(200):
        difficulty = [source.choice(chances) for _ in range(items)]
        values = [float(source.random() < chance) for chance, _ in product(difficulty, range(4))]
        interval = estimate(values, clusters)[1]
        covered += interval.low <= truth <= interval.high
    assert 0.92 <= covered / 200 <= 1


def test_naive_coverage_of_clustered_items_fails() -> None:
    source = random.Random(11)  # noqa: S311  a reproducible draw
    covered = 0
    for _ in range(200):
        values = [value for _ in range(40) for value in [float(source.random() < 0.5)] * 4]
        interval = estimate(values)[1]
        covered += interval.low <= 0.5 <= interval.high
    assert covered / 200 < 0.8


def test_scores_outside_the_scale_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="outside 0 to 1"):
        score_estimate([0.5, 80.0])


def test_missing_attempts_bound_the_score() -> None:
    assert missing_bounds(900, 1180, 1203) == (900 / 1203, 923 / 1203)
    assert missing_bounds(7.5, 10, 10) == (0.75, 0.75)
    assert missing_bounds(0, 0, 5) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("total_score", "scored", "total"), [(11, 10, 12), (5, 10, 9), (-1, 3, 3), (0, 0, 0)]
)
def test_impossible_counts_have_no_bounds(total_score: float, scored: int, total: int) -> None:
    with pytest.raises(InvalidValueError, match="attempts"):
        missing_bounds(total_score, scored, total)
