"""Grading by equal text."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.outcome import Outcome
from assay.engine.graders.exact import folded, grade_exact, normalised


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


@given(st.text(alphabet="eE\u0301\u0316\u00e9\u0130\u017f\ufb01\u1112\u1161 ", max_size=30))
def test_folding_is_compatibility_form_without_case(text: str) -> None:
    assert folded(text) == unicodedata.normalize("NFKC", text).casefold()


def test_marks_of_every_kind_are_put_in_order_within_short_rows_alone() -> None:
    kinds = [
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if unicodedata.combining(unicodedata.normalize("NFKD", character)[0])
    ]
    assert "\u0301" in kinds
    assert not [kind for kind in kinds if "\u034f" not in folded(kind * 31)]
    assert not [kind for kind in kinds if "\u034f" in folded(kind * 30)]


@pytest.mark.parametrize("character", ["\u6f22", "\U0001f642", "\U00010330", "\u2500"])
def test_long_rows_of_other_characters_stay_as_they_are(character: str) -> None:
    assert folded(character * 99) == character * 99
