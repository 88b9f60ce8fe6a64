"""Grading by equal text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.outcome import Outcome
from assay.engine.graders.exact import grade_exact, normalised


@pytest.mark.parametrize(
    ("extracted", "outcome"),
    [
        ("Lima", Outcome.CORRECT),
        ("lima", Outcome.INCORRECT),
        ("", Outcome.UNPARSED),
        (None, Outcome.UNPARSED),
    ],
)
def test_as_it_is(extracted: str | None, outcome: Outcome) -> None:
    assert grade_exact(extracted, "Lima").outcome is outcome


@pytest.mark.parametrize("text", ["LIMA", " Lima. ", "**Lima**", "\u201cLima\u201d", "(lima)", "\uff2cima"])
def test_normalised(text: str) -> None:
    grade = grade_exact(text, "Lima", normalise=normalised)
    assert (grade.outcome, grade.score, grade.extracted) == (Outcome.CORRECT, 1.0, text)


def test_what_normalising_leaves_empty_is_unparsed() -> None:
    assert grade_exact(" ... ", "Lima", normalise=normalised).outcome is Outcome.UNPARSED


def test_inner_white_space_is_one_space_but_stays() -> None:
    assert normalised("New\u00a0 \n York") == "new york"
    assert normalised("NewYork") != normalised("New York")


@given(st.text(alphabet='aB c.*"\n'))
def test_case_marks_and_spacing_never_count(text: str) -> None:
    assert normalised(f" *{text.swapcase()}. ") == normalised(text)
