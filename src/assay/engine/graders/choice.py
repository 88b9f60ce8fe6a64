"""Grading multiple choice: the letter that was chosen against the right one."""

from collections.abc import Callable

from assay.domain.benchmark import Grade
from assay.domain.outcome import Outcome

Extractor = Callable[[str], str | None]
"""Finds the chosen letter in an answer; None where there is none."""


def grade_choice(answer: str, expected: str, *, extract: Extractor) -> Grade:
    letter = extract(answer)
    if letter is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="no letter was found in the answer")
    if letter == expected:
        return Grade(Outcome.CORRECT, 1.0, extracted=letter, explanation=f"chose {letter}")
    return Grade(Outcome.INCORRECT, 0.0, extracted=letter, explanation=f"chose {letter}, right is {expected}")
