"""Grading by the chosen letter."""

from assay.domain.outcome import Outcome
from assay.engine.graders.choice import grade_choice


def last_character(answer: str) -> str | None:
    return answer[-1:] or None


def test_the_right_letter_is_correct() -> None:
    grade = grade_choice("it is B", "B", extract=last_character)
    assert (grade.outcome, grade.score, grade.extracted) == (Outcome.CORRECT, 1.0, "B")


def test_another_letter_is_incorrect_even_if_no_option_has_it() -> None:
    grade = grade_choice("it is Z", "B", extract=last_character)
    assert (grade.outcome, grade.score, grade.extracted) == (Outcome.INCORRECT, 0.0, "Z")
    assert grade.explanation == "chose Z, right is B"


def test_no_letter_is_unparsed() -> None:
    grade = grade_choice("", "B", extract=last_character)
    assert (grade.outcome, grade.score, grade.extracted) == (Outcome.UNPARSED, 0.0, None)
