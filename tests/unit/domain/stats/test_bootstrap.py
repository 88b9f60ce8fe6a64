import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import IntervalMethod, bootstrap_interval


# SciPy 1.17, bootstrap(method="BCa", n_resamples=200_000); 2,000 resamples scatter by about 0.002 around it.
def test_few_distinct_scores_agree_with_a_plain_bootstrap() -> None:
    values = [0.0] * 5 + [0.25] * 10 + [0.5] * 20 + [0.75] * 40 + [1.0] * 125
    interval = bootstrap_interval(values)
    assert abs(interval.low - 0.79875) < 0.004
    assert abs(interval.high - 0.87) < 0.004
    assert interval.method is IntervalMethod.BOOTSTRAP


def test_many_distinct_scores_agree_with_a_plain_bootstrap() -> None:
    interval = bootstrap_interval([(index / 200) ** 2 for index in range(201)])
    assert abs(interval.low - 0.29383) < 0.004
    assert abs(interval.high - 0.37674) < 0.004


def test_the_seed_decides() -> None:
    values = [0.0, 0.3, 0.5, 1.0] * 10
    assert bootstrap_interval(values, resamples=200, seed=1) == bootstrap_interval(
        values, resamples=200, seed=1
    )
    assert bootstrap_interval(values, resamples=200, seed=1) != bootstrap_interval(
        values, resamples=200, seed=2
    )


def test_clusters_are_drawn_whole() -> None:
    values = [0.0, 0.5, 1.0, 1.0] * 10
    item_ids = [str(index) for index in range(40)]
    alone = bootstrap_interval(values)
    repeated = bootstrap_interval(values * 9, item_ids * 9)
    assert abs(repeated.low - alone.low) < 0.02
    assert abs(repeated.high - alone.high) < 0.02
    assert bootstrap_interval(values * 9).high < alone.high - 0.05


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_intervals_contain_the_mean_and_have_width(values: list[float]) -> None:
    interval = bootstrap_interval(values, resamples=100)
    assert 0 <= interval.low <= sum(values) / len(values) + 1e-12
    assert sum(values) / len(values) - 1e-12 <= interval.high <= 1
    assert interval.low < interval.high


def test_nothing_to_resample() -> None:
    with pytest.raises(InvalidValueError, match="0 values"):
        bootstrap_interval([])
    with pytest.raises(InvalidValueError, match="5 resamples"):
        bootstrap_interval([1.0], resamples=5)
