import math
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import clustered_standard_error

scores = st.lists(st.floats(0, 1), min_size=2, max_size=50)


@settings(max_examples=50, deadline=None)
@given(scores)
def test_clusters_of_one_give_the_naive_standard_error(values: list[float]) -> None:
    expected = statistics.stdev(values) / math.sqrt(len(values))
    alone = [str(index) for index in range(len(values))]
    assert abs((clustered_standard_error(values, alone) or 0.0) - expected) < 1e-9
    assert abs((clustered_standard_error(values) or 0.0) - expected) < 1e-9


@settings(max_examples=50, deadline=None)
@given(scores, st.integers(2, 5))
def test_exact_repeats_add_no_information(values: list[float], repeats: int) -> None:
    item_ids = [str(index) for index in range(len(values))]
    repeated = clustered_standard_error(values * repeats, item_ids * repeats)
    assert abs((repeated or 0.0) - (clustered_standard_error(values) or 0.0)) < 1e-9


def test_unequal_clusters() -> None:
    # statsmodels 0.15, OLS on a constant with cov_type="cluster".
    values = [1.0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1]
    assert abs((clustered_standard_error(values, list("aaabbccccdde")) or 0.0) - 0.06211299937499418) < 1e-12


def test_one_cluster_has_no_standard_error() -> None:
    assert clustered_standard_error([0.0, 1.0], ["a", "a"]) is None


def test_every_value_needs_its_cluster() -> None:
    with pytest.raises(InvalidValueError, match="2 values but 1 cluster"):
        clustered_standard_error([0.0, 1.0], ["a"])
