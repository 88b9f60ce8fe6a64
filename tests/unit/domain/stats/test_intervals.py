import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import (
    Interval,
    clopper_pearson,
    normal_interval,
    tango,
    unanimous_interval,
    wilson,
)

Method = Callable[[float, int], Interval]


@st.composite
def proportions(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 3_000))
    return draw(st.integers(0, n)), n


def near(interval: Interval, low: float, high: float, *, within: float = 1e-9) -> bool:
    return abs(interval.low - low) < within and abs(interval.high - high) < within


# Newcombe (1998), table I, to more digits; SciPy 1.17 agrees.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2552885198782742, 0.36620957698280004),
        (15, 148, 0.06238639953073629, 0.16048724172330803),
        (0, 20, 0.0, 0.16112515805281935),
        (1, 29, 0.006113214292762667, 0.17175521879320282),
        (10, 10, 0.7224672001371109, 1.0),
        (160, 198, 0.7475731843408006, 0.8568616067710627),
    ],
)
def test_wilson(successes: int, n: int, low: float, high: float) -> None:
    assert near(wilson(successes, n), low, high)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.25273674558504267, 0.36762192260134746),
        (15, 148, 0.05784401008344801, 0.16165049034947895),
        (0, 20, 0.0, 0.16843347098308548),
        (1, 29, 0.0008726468835971072, 0.17764429548841465),
        (29, 30, 0.827830544366587, 0.9991564290733507),
        (10, 10, 0.6915028921812371, 1.0),
    ],
)
def test_clopper_pearson(successes: int, n: int, low: float, high: float) -> None:
    assert near(clopper_pearson(successes, n), low, high)


# 21 children, 1 better and 7 worse after treatment: -0.286 (-0.517, -0.026) in Fagerland et al. (2013); the
# others from maximising the likelihood numerically at each difference.
@pytest.mark.parametrize(
    ("wins", "losses", "n", "low", "high"),
    [
        (1, 7, 21, -0.5172323, -0.0260030),
        (10, 2, 40, 0.0347435, 0.3663163),
        (5, 0, 30, 0.0342344, 0.3356435),
        (60, 40, 198, 0.0020419, 0.1979844),
    ],
)
def test_tango(wins: int, losses: int, n: int, low: float, high: float) -> None:
    assert near(tango(wins, losses, n), low, high, within=1e-6)


def test_tango_without_discordant_pairs_has_the_width_of_the_score_test() -> None:
    z_squared = 1.959963984540054**2
    assert near(tango(0, 0, 40), -z_squared / (40 + z_squared), z_squared / (40 + z_squared))


@settings(max_examples=50, deadline=None)
@given(proportions(), st.sampled_from([wilson, clopper_pearson]))
def test_intervals_contain_the_share_and_mirror(counts: tuple[int, int], method: Method) -> None:
    successes, n = counts
    interval, mirrored = method(successes, n), method(n - successes, n)
    assert 0 <= interval.low <= successes / n <= interval.high <= 1
    assert interval.low < interval.high
    assert near(mirrored, 1 - interval.high, 1 - interval.low)


@settings(max_examples=50, deadline=None)
@given(proportions())
def test_a_higher_level_is_wider(counts: tuple[int, int]) -> None:
    assert clopper_pearson(*counts, level=0.99).high >= clopper_pearson(*counts, level=0.9).high
    assert wilson(*counts, level=0.99).low <= wilson(*counts, level=0.9).low


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_tango_mirrors_and_contains_the_difference(wins: int, losses: int, ties: int) -> None:
    n = wins + losses + ties + 1
    interval, mirrored = tango(wins, losses, n), tango(losses, wins, n)
    assert near(mirrored, -interval.high, -interval.low)
    assert -1 <= interval.low <= (wins - losses) / n <= interval.high <= 1
    assert interval.low < interval.high


@pytest.mark.parametrize("method", [wilson, clopper_pearson])
@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_coverage_over_all_outcomes(method: Method, rate: float) -> None:
    n = 40
    covered = sum(
        math.comb(n, k) * rate**k * (1 - rate) ** (n - k)
        for k in range(n + 1)
        if method(k, n).low <= rate <= method(k, n).high
    )
    assert covered > (0.94 if method is wilson else 0.95)
    assert covered < 0.99


def test_unanimous_values_extend_the_exact_interval() -> None:
    assert near(unanimous_interval(1.0, 10), 0.6915028921812371, 1.0)
    assert near(unanimous_interval(0.0, 20), 0.0, 0.16843347098308548)
    half = unanimous_interval(0.5, 10)
    assert half.low < 0.5 < half.high < 0.66
    either_way = unanimous_interval(0.0, 183, least=-1.0)
    assert either_way.high == -either_way.low < 0.02 < unanimous_interval(0.0, 182).high


def test_normal_interval_is_the_estimate_and_two_standard_errors() -> None:
    assert near(normal_interval(0.5, 0.1), 0.5 - 0.1959963984540054, 0.5 + 0.1959963984540054)


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(successes: int, n: int) -> None:
    for method in (wilson, clopper_pearson):
        with pytest.raises(InvalidValueError, match="successes"):
            method(successes, n)
    with pytest.raises(InvalidValueError, match="wins"):
        tango(successes, 0, n)
