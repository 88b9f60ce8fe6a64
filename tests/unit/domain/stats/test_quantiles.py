import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import percentiles

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


def test_linear_interpolation() -> None:
    # numpy.percentile with its default method.
    expected = {0: 15, 5: 16, 30: 23, 40: 29, 50: 35, 90: 46, 95: 48, 100: 50}
    assert percentiles([40, 15, 50, 20, 35], list(expected)) == expected


def test_no_values_have_no_percentiles() -> None:
    assert percentiles([], [50, 99]) == {}


def test_one_value_is_every_percentile() -> None:
    assert percentiles([7.0], [0, 50, 100]) == {0: 7.0, 50: 7.0, 100: 7.0}


@settings(max_examples=50, deadline=None)
@given(numbers)
def test_percentiles_rise_from_minimum_through_median_to_maximum(values: list[float]) -> None:
    found = percentiles(values, [0, 50, 90, 99, 100])
    assert found[0] == min(values)
    assert found[100] == max(values)
    assert abs(found[50] - statistics.median(values)) < 1e-6
    assert found[50] <= found[90] + 1e-6
    assert found[90] <= found[99] + 1e-6


def test_points_are_percent() -> None:
    with pytest.raises(InvalidValueError, match="0 to 100"):
        percentiles([1.0], [101])
