import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.stats import Duel, bradley_terry


def duels(*results: tuple[str, str, int]) -> list[Duel]:
    """The winner, the loser, and how often."""
    return [Duel(winner, loser, 1.0) for winner, loser, count in results for _ in range(count)]


def test_two_competitors_have_the_odds_of_their_duels() -> None:
    found = bradley_terry(duels(("a", "b", 30), ("b", "a", 10)))
    assert found["a"].log - found["b"].log == pytest.approx(math.log(3))
    assert found["a"].log + found["b"].log == pytest.approx(0)
    # The variance of log odds from 40 duels is 40 / (30 · 10); half of it in each of the two.
    error = math.sqrt(40 / 300) / 2
    assert found["a"].high - found["a"].log == pytest.approx(1.959964 * error, rel=1e-6)


def test_a_tie_is_half_a_win_of_each() -> None:
    ties = [Duel("a", "b", 0.5)] * 20
    wins = duels(("a", "b", 10), ("b", "a", 10))
    assert bradley_terry(ties) == bradley_terry(wins)


def test_strengths_fit_the_duels_of_three() -> None:
    found = bradley_terry(duels(("a", "b", 20), ("b", "a", 10), ("b", "c", 20), ("c", "b", 10)))
    # `a` and `c` have not met; each step is odds of two to one.
    assert found["a"].log - found["c"].log == pytest.approx(2 * math.log(2))
    assert found["a"].high - found["a"].low > found["b"].high - found["b"].low


def test_who_has_won_everything_has_no_strength() -> None:
    found = bradley_terry(duels(("best", "a", 9), ("a", "b", 3), ("b", "a", 3), ("b", "worst", 9)))
    assert set(found) == {"a", "b"}
    assert found["a"].log == pytest.approx(0)


def test_nothing_follows_from_nothing_or_from_wins_alone() -> None:
    assert bradley_terry([]) == {}
    assert bradley_terry(duels(("a", "b", 100))) == {}


def test_of_groups_that_never_met_the_one_with_more_duels_is_rated() -> None:
    few = duels(("a", "b", 1), ("b", "a", 1))
    many = duels(("c", "d", 5), ("d", "c", 5))
    assert set(bradley_terry([*few, *many])) == {"c", "d"}


@given(
    st.lists(
        st.tuples(st.sampled_from(list(permutations("abcd", 2))), st.sampled_from([0.0, 0.5, 1.0])),
        max_size=40,
    )
)
def test_any_duels_have_finite_strengths_within_their_intervals(
    given_duels: list[tuple[tuple[str, str], float]],
) -> None:
    found = bradley_terry([Duel(*pair, score) for pair, score in given_duels])
    assert len(found) != 1
    assert sum(one.log for one in found.values()) == pytest.approx(0, abs=1e-6)
    for one in found.values():
        assert math.isfinite(one.low)
        assert one.low < one.log < one.high
