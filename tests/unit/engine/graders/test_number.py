"""Grading by the value of a number."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.errors import GraderError
from assay.domain.outcome import Outcome
from assay.engine.graders.number import grade_number, parse_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("24", "24"),
        ("024", "24"),
        (" 24.0 ", "24"),
        ("24.", "24"),
        ("+24", "24"),
        ("-0", "0"),
        ("1,000", "1000"),
        ("12,345,678.90", "12345678.9"),
        (".5", "0.5"),
        ("-0.50", "-0.5"),
        ("1e3", "1000"),
        ("2.5E-3", "0.0025"),
        ("\u221217", "-17"),
        ("1\u202f000", "1000"),
        ("1{,}000", "1000"),
        (r"1\,000", "1000"),
        ("$24$", "24"),
    ],
)
def test_ways_to_write_a_number(text: str, value: str) -> None:
    assert parse_number(text) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    ["", ".", "-", "+.", "abc", "24 apples", "1,00", "10,00,000", "1,000,0", "2 4", "0x10", "nan", "inf",
     "1/2", "1e", "1e99999", "٣", "--1", "1.2.3", "9" * 1001],
)  # fmt: skip
def test_what_is_no_number(text: str) -> None:
    assert parse_number(text) is None


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_separators_and_zeros_do_not_change_the_value(number: Decimal) -> None:
    assert parse_number(f"{number:,f}") == number
    assert parse_number(f"{number:f}00") == number


@given(st.text())
def test_any_text_is_a_number_or_none(text: str) -> None:
    value = parse_number(text)
    assert value is None or value.is_finite()


@pytest.mark.parametrize(
    ("extracted", "expected", "outcome"),
    [
        ("024", "24", Outcome.CORRECT),
        ("24", "024", Outcome.CORRECT),
        ("1,000.0", "1000", Outcome.CORRECT),
        ("25", "24", Outcome.INCORRECT),
        ("2 4", "24", Outcome.UNPARSED),
        (None, "24", Outcome.UNPARSED),
    ],
)
def test_verdicts(extracted: str | None, expected: str, outcome: Outcome) -> None:
    grade = grade_number(extracted, expected)
    assert (grade.outcome, grade.score) == (outcome, 1.0 if outcome is Outcome.CORRECT else 0.0)


def test_an_expected_answer_that_is_no_number_is_the_data_s_fault() -> None:
    with pytest.raises(GraderError, match="'dozen' is not a number"):
        grade_number("12", "dozen")
