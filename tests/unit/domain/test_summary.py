"""When a score says little about the model."""

import pytest

from assay.domain.outcome import Outcome
from assay.domain.summary import MANY_ERRORS, result_warnings

Counts = dict[Outcome, int]


def codes(outcomes: Counts, *, error_share: float = MANY_ERRORS) -> list[str]:
    return [one.code for one in result_warnings(outcomes, error_share=error_share)]


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ({}, []),
        ({Outcome.CORRECT: 5, Outcome.UNPARSED: 5}, []),
        (
            {Outcome.CORRECT: 5, Outcome.UNPARSED: 2, Outcome.TRUNCATED: 2, Outcome.REFUSED: 2},
            ["most_unanswered"],
        ),
        ({Outcome.CORRECT: 9, Outcome.MODEL_ERROR: 4}, []),
        ({Outcome.CORRECT: 8, Outcome.MODEL_ERROR: 3, Outcome.TIMEOUT: 1}, ["many_errors"]),
        ({Outcome.ANSWERED: 2, Outcome.RATE_LIMITED: 1}, ["many_errors"]),
        ({Outcome.UNPARSED: 1, Outcome.MODEL_ERROR: 1}, ["most_unanswered", "many_errors"]),
    ],
)
def test_many_errors_or_missing_answers_give_a_warning(outcomes: Counts, expected: list[str]) -> None:
    assert codes(outcomes) == expected


@pytest.mark.parametrize(
    ("outcomes", "cut", "expected"),
    [
        ({Outcome.INCORRECT: 42}, 42, "42 of 42 replies have no answer or were cut (42 cut but graded)"),
        (
            {Outcome.CORRECT: 4, Outcome.INCORRECT: 3, Outcome.UNPARSED: 1, Outcome.TRUNCATED: 2},
            5,
            "6 of 10 replies have no answer or were cut (1 unparsed, 2 truncated, 3 cut but graded)",
        ),
        ({Outcome.CORRECT: 6, Outcome.TRUNCATED: 4}, 5, None),
        (
            {Outcome.UNPARSED: 3, Outcome.TRUNCATED: 1},
            3,
            "4 of 4 replies have no answer (3 unparsed, 1 truncated)",
        ),
    ],
)
def test_replies_that_were_cut_and_graded_count_too(outcomes: Counts, cut: int, expected: str | None) -> None:
    assert [one.message for one in result_warnings(outcomes, cut=cut)] == ([expected] if expected else [])


@pytest.mark.parametrize(("share", "expected"), [(0.0, ["many_errors"]), (0.1, ["many_errors"]), (0.2, [])])
def test_the_share_of_errors_can_be_chosen(share: float, expected: list[str]) -> None:
    assert codes({Outcome.CORRECT: 9, Outcome.TIMEOUT: 1}, error_share=share) == expected
    assert codes({Outcome.CORRECT: 9}, error_share=share) == []


def test_a_warning_counts_what_it_is_about() -> None:
    [warning] = result_warnings({Outcome.CORRECT: 300, Outcome.UNPARSED: 1_000, Outcome.REFUSED: 200})
    assert warning.message == "1,200 of 1,500 replies have no answer (1,000 unparsed, 200 refused)"
