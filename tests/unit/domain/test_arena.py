import pytest

from assay.domain.arena import Tally, Vote, Winner, elo_ratings, tallies
from assay.domain.errors import InvalidValueError
from tests.builders import NOON


def vote(winner: Winner, a: str = "a", b: str = "b", *, number: int = 0) -> Vote:
    return Vote(f"prompt-{number}", winner, a, b, NOON)


def test_the_first_win_moves_both_by_sixteen_points() -> None:
    assert elo_ratings([vote("A")]) == {"a": 1516.0, "b": 1484.0}
    assert elo_ratings([vote("B")]) == {"a": 1484.0, "b": 1516.0}


def test_a_tie_of_equals_and_two_bad_answers_move_nothing() -> None:
    assert elo_ratings([vote("tie"), vote("both_bad")]) == {"a": 1500.0, "b": 1500.0}


def test_a_tie_helps_the_weaker() -> None:
    after = elo_ratings([vote("A"), vote("tie")])
    assert 1500 < after["a"] < 1516
    assert after["a"] + after["b"] == pytest.approx(3000)


def test_the_ratings_follow_from_all_votes_in_their_order() -> None:
    first = elo_ratings([vote("A"), vote("A", "b", "c")])
    assert first["b"] == pytest.approx(1484 + 32 * (1 - 1 / (1 + 10 ** (16 / 400))))
    assert elo_ratings([vote("A", "b", "c"), vote("A")]) != first


def test_votes_are_counted_for_both_models() -> None:
    votes = [vote("A"), vote("B"), vote("A"), vote("tie"), vote("both_bad")]
    assert tallies(votes) == {"a": Tally(2, 1, 1, 1), "b": Tally(1, 2, 1, 1)}
    assert tallies(votes)["a"].votes == 5


def test_a_model_is_not_compared_with_itself() -> None:
    with pytest.raises(InvalidValueError, match="between two models"):
        vote("A", "a", "a")
