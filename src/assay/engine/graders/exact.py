"""Grading by equal text, as it is or normalised."""

import unicodedata
from collections.abc import Callable

from assay.domain.benchmark import Grade
from assay.domain.outcome import Outcome

Normaliser = Callable[[str], str]

_EDGE_MARKS = " .,;:!?\"'`*_()[]{}$\u201c\u201d\u2018\u2019"


def as_is(text: str) -> str:
    return text


def normalised(text: str) -> str:
    """Letter case, kinds and runs of white space, and marks at either end do not count."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).strip(_EDGE_MARKS)


def grade_exact(extracted: str | None, expected: str, *, normalise: Normaliser = as_is) -> Grade:
    """Equal after `normalise` is correct; no answer, or one of which nothing is left, is unparsed."""
    if extracted is None or not normalise(extracted):
        return Grade(Outcome.UNPARSED, 0.0, extracted=extracted, explanation="there is no answer to compare")
    if normalise(extracted) == normalise(expected):
        return Grade(Outcome.CORRECT, 1.0, extracted=extracted, explanation="equals the expected answer")
    return Grade(Outcome.INCORRECT, 0.0, extracted=extracted, explanation="differs from the expected answer")
