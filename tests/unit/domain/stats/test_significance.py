import random
from collections.abc import Callable
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import PairedTest, benjamini_hochberg, holm, mcnemar, sign_flip

p_lists = st.lists(st.floats(0, 1), max_size=20)

# Benjamini and Hochberg (1995), table of 15 endpoints.
ENDPOINTS = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459,
    0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0,
]  # fmt: skip


# SciPy 1.17, binomtest.
@pytest.mark.parametrize(
    ("wins", "losses", "expected"),
    [
        (0, 0, 1.0),
        (4, 4, 1.0),
        (5, 0, 0.0625),
        (6, 0, 0.03125),
        (10, 2, 0.03857421875),
        (25, 12, 0.04703102743951604),
        (121, 59, 4.4344492637551645e-06),
        (3000, 2800, 0.00896943600119357),
    ],
)
def test_mcnemar(wins: int, losses: int, expected: float) -> None:
    result = mcnemar(wins, losses)
    assert abs(result.p_value - expected) <= 1e-10 * expected
    assert result.test is PairedTest.MCNEMAR


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_symmetric_and_a_probability(wins: int, losses: int) -> None:
    assert mcnemar(wins, losses) == mcnemar(losses, wins)
    assert 0 < mcnemar(wins, losses).p_value <= 1


def test_negative_counts_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="negative"):
        mcnemar(-1, 2)


def test_sign_flip_on_darwins_maize() -> None:
    # Fisher (1935) enumerated these 15 differences: 1,726 of 32,768 sign patterns are as extreme.
    differences = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    result = sign_flip([difference / 100 for difference in differences])
    assert abs(result.p_value - 1726 / 32768) < 1e-12
    assert result.test is PairedTest.SIGN_FLIP_EXACT


def test_sign_flip_on_yes_or_no_differences_is_mcnemar() -> None:
    assert abs(sign_flip([1.0] * 121 + [-1.0] * 59 + [0.0] * 40).p_value - mcnemar(121, 59).p_value) < 1e-12


def test_thirds_compare_equal_despite_rounding() -> None:
    assert sign_flip([1 / 3, 1 / 3, -2 / 3, 0.1 + 0.2, -0.3]).p_value == 1


def test_many_distinct_differences_are_sampled_with_a_seed() -> None:
    source = random.Random(3)  # noqa: S311  a reproducible draw
    differences = [source.gauss(0.03, 0.3) for _ in range(400)]
    result = sign_flip(differences, resamples=1999, seed=5)
    assert result.test is PairedTest.SIGN_FLIP_SAMPLED
    assert result == sign_flip(differences, resamples=1999, seed=5)
    assert result.p_value == sign_flip([-d for d in differences], resamples=1999, seed=5).p_value
    statistic = sum(differences) / sum(difference**2 for difference in differences) ** 0.5
    assert abs(result.p_value - 2 * NormalDist().cdf(-abs(statistic))) < 0.02


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0]), max_size=40))
def test_sign_flip_is_symmetric_and_a_probability(differences: list[float]) -> None:
    result = sign_flip(differences)
    assert 0 < result.p_value <= 1
    assert result == sign_flip([-difference for difference in differences])


def test_holm() -> None:
    assert [round(p, 12) for p in holm([0.01, 0.04, 0.03, 0.005])] == [0.03, 0.06, 0.06, 0.02]
    assert [round(p, 4) for p in holm(ENDPOINTS)[:9]] == [
        0.0015, 0.0056, 0.0247, 0.114, 0.2211, 0.278, 0.278, 0.278, 0.3213,
    ]  # fmt: skip


def test_benjamini_hochberg() -> None:
    adjusted = benjamini_hochberg(ENDPOINTS)
    assert [round(p, 6) for p in adjusted[:5]] == [0.0015, 0.003, 0.0095, 0.035625, 0.0603]
    assert sum(p <= 0.05 for p in adjusted) == 4


@settings(max_examples=50, deadline=None)
@given(p_lists)
def test_adjusting_never_lowers_and_keeps_the_order(p_values: list[float]) -> None:
    cautious, screening = holm(p_values), benjamini_hochberg(p_values)
    assert all(
        raw <= bh + 1e-12 and bh <= h + 1e-12
        for raw, bh, h in zip(p_values, screening, cautious, strict=True)
    )
    assert all(p <= 1 for p in cautious)
    ranked = [index for _, index in sorted((p, index) for index, p in enumerate(p_values))]
    assert [cautious[index] for index in ranked] == sorted(cautious)
    assert [screening[index] for index in ranked] == sorted(screening)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_p_values_are_probabilities(adjust: Callable[[list[float]], list[float]]) -> None:
    with pytest.raises(InvalidValueError, match="p-values"):
        adjust([0.2, 1.2])
