import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import finite_population_correction, items_needed, mcnemar, pairs_to_find
from assay.domain.stats.power import detectable_by_mcnemar, detectable_by_mean


@pytest.mark.parametrize(
    ("half_width", "p", "expected"),
    [(0.05, 0.5, 385), (0.03, 0.5, 1068), (0.01, 0.5, 9604), (0.03, 0.9, 385)],
)
def test_items_needed(half_width: float, p: float, expected: int) -> None:
    assert items_needed(half_width, p) == expected


def test_a_certain_rate_still_needs_an_item() -> None:
    assert items_needed(0.05, 1.0) == 1


def test_finite_population_correction() -> None:
    assert finite_population_correction(198, 198) == 0
    assert finite_population_correction(1, 198) == 1
    assert finite_population_correction(1, 1) == 0
    assert abs(finite_population_correction(100, 1000) - (900 / 999) ** 0.5) < 1e-12


@pytest.mark.parametrize(("n", "discordance"), [(40, 0.0), (198, 0.1), (198, 0.4), (1000, 0.2)])
def test_the_detectable_effect_is_found_about_four_times_in_five(n: int, discordance: float) -> None:
    effect = detectable_by_mcnemar(n, discordance)
    assert effect is not None
    share = max(discordance, effect)
    source = random.Random(1)  # noqa: S311  a reproducible draw
    found = 0
    for _ in range(150):
        draws = [source.random() for _ in range(n)]
        wins = sum(draw < (share + effect) / 2 for draw in draws)
        losses = sum((share + effect) / 2 <= draw < share for draw in draws)
        found += mcnemar(wins, losses).p_value < 0.05
    assert 0.7 < found / 150 < 0.97


def test_five_pairs_can_show_nothing() -> None:
    assert detectable_by_mcnemar(5, 1.0) is None
    assert detectable_by_mcnemar(6, 0.0) is not None
    assert detectable_by_mean(0.01, 5) is None
    assert detectable_by_mean(0.6, 20) is None


def test_the_normal_approximation_of_the_textbooks() -> None:
    assert abs((detectable_by_mean(0.01, 100_000) or 0.0) - 0.028016) < 1e-5
    assert detectable_by_mean(0.0, 50) == detectable_by_mcnemar(50, 0.0)


@settings(max_examples=50, deadline=None)
@given(st.integers(6, 5_000), st.floats(0, 1))
def test_more_items_or_fewer_flips_detect_more(n: int, discordance: float) -> None:
    effect = detectable_by_mcnemar(n, discordance)
    if effect is not None:
        assert (detectable_by_mcnemar(2 * n, discordance) or 1.0) <= effect
        assert (detectable_by_mcnemar(n, discordance / 2) or 1.0) <= effect + 1e-8


@pytest.mark.parametrize(("half_width", "p"), [(0.0, 0.5), (0.1, 1.5)])
def test_impossible_precision_is_refused(half_width: float, p: float) -> None:
    with pytest.raises(InvalidValueError, match="half-width"):
        items_needed(half_width, p)


@pytest.mark.parametrize(("n", "population"), [(0, 5), (6, 5)])
def test_a_subset_fits_into_its_population(n: int, population: int) -> None:
    with pytest.raises(InvalidValueError, match="items out of"):
        finite_population_correction(n, population)


def test_the_items_of_a_plan_find_the_difference_as_often_as_promised() -> None:
    n = pairs_to_find(0.3, 0.1)
    source = random.Random(2)  # noqa: S311  a reproducible draw
    found = 0
    for _ in range(200):
        draws = [source.random() for _ in range(n)]
        wins, either = sum(draw < 0.2 for draw in draws), sum(draw < 0.3 for draw in draws)
        found += wins > either - wins and mcnemar(wins, either - wins).p_value < 0.05
    assert 170 <= found <= 192


def test_a_plan_needs_possible_figures() -> None:
    assert pairs_to_find(0.0, 0.1) == pairs_to_find(0.1, 0.1) > 60
    for square, difference in ((-0.1, 0.1), (0.1, 0.0), (0.1, 1.1), (float("nan"), 0.1), (1e9, 0.1)):
        with pytest.raises(InvalidValueError, match="mean square"):
            pairs_to_find(square, difference)
