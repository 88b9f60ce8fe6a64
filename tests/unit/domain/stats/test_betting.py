from itertools import accumulate, combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import BettingTest


def peak(values: list[float], null: float, units: int | None = None) -> float:
    test = BettingTest(null, units or len(values))
    for value in values:
        test.add(value)
    return test.peak


def orders_of_ones(units: int, ones: int) -> list[list[float]]:
    return [[float(place in chosen) for place in range(units)] for chosen in combinations(range(units), ones)]


@pytest.mark.parametrize(("units", "ones"), [(14, 7), (14, 2), (14, 13), (30, 2)])
def test_over_all_orders_the_evidence_against_the_true_mean_exceeds_no_bound_too_often(
    units: int, ones: int
) -> None:
    peaks = sorted(peak(order, ones / units) for order in orders_of_ones(units, ones))
    for rank, value in enumerate(reversed(peaks), start=1):
        assert rank / len(peaks) <= 1 / value + 1e-9


def test_partial_scores_keep_the_bound_as_well() -> None:
    values = (0.0, 0.0, 0.25, 0.5, 0.5, 1.0, 1.0)
    peaks = sorted(peak(list(order), sum(values) / len(values)) for order in permutations(values))
    for rank, value in enumerate(reversed(peaks), start=1):
        assert rank / len(peaks) <= 1 / value + 1e-9


def test_what_the_rest_cannot_undo_is_certain() -> None:
    test = BettingTest(0.5, 10)
    found: list[float] = []
    for _ in range(6):
        test.add(1.0)
        found.append(test.peak)
    assert found == sorted(found)
    assert found[4] < float("inf") == found[5]
    # Rounding alone is not evidence.
    assert peak([1 / 3] * 9, 1 / 3) == pytest.approx(1.0)
    assert peak([0.1] * 10, sum([0.1] * 10) / 10) == pytest.approx(1.0)


def test_evidence_grows_with_the_difference() -> None:
    assert peak([1.0] * 20, 0.5, 100) > 100 > peak([1.0, 0.0] * 10, 0.5, 100)
    assert peak([1.0, 1.0, 1.0, 0.0] * 25, 0.5, 10_000) > 1_000


VALUES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=40)


@given(VALUES, st.floats(0, 1), st.floats(0, 1), st.integers(0, 30))
def test_a_larger_null_has_less_evidence_against_it(
    values: list[float], one: float, other: float, unasked: int
) -> None:
    units = len(values) + unasked
    assert peak(values, max(one, other), units) <= peak(values, min(one, other), units) * (1 + 1e-9)


@given(VALUES, st.floats(0, 1), st.integers(0, 30), st.data())
def test_a_smaller_value_is_less_evidence(
    values: list[float], null: float, unasked: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(values) - 1))
    smaller = [*values[:place], values[place] / 2, *values[place + 1 :]]
    units = len(values) + unasked
    assert peak(smaller, null, units) <= peak(values, null, units) * (1 + 1e-9)


@given(VALUES, st.integers(0, 30))
def test_evidence_that_was_there_stays(values: list[float], unasked: int) -> None:
    test = BettingTest(0.4, len(values) + unasked)
    peaks: list[float] = []
    for value in values:
        test.add(value)
        peaks.append(test.peak)
    assert peaks == list(accumulate(peaks, max))


def test_bad_populations_are_refused() -> None:
    for null, units in ((0.5, 0), (-0.1, 5), (1.1, 5)):
        with pytest.raises(InvalidValueError, match="give 0 to 1"):
            BettingTest(null, units)
    with pytest.raises(InvalidValueError, match="more values"):
        peak([1.0, 1.0], 0.5, 1)
