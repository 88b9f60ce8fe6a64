"""Grading against what the author of a data set expected."""

import gc

import pytest

from assay.domain.calls.messages import Json
from assay.domain.dataset_report import Grading
from assay.domain.outcome import Outcome
from assay.engine.graders.rules.expected import expectation_fault, grade_expected

SCHEMA: Json = {
    "type": "object",
    "properties": {"city": {"type": "string", "pattern": "^(a+)+$"}},
    "required": ["city"],
}


@pytest.mark.parametrize(
    ("grading", "expected", "right", "wrong"),
    [
        (Grading.EXACT, "Paris", " Paris\n", "paris"),
        (Grading.EXACT, ["Paris", "Lutetia"], "Lutetia", "Rome"),
        (Grading.EXACT, 4, "4", "4.0"),
        (Grading.CONTAINS, "new  york", "It is New York!", "It is York."),
        (Grading.CONTAINS, ["Oslo", "(new) york"], "The\u00c5 (New)\n\n \u3000YORKER", "(new)york"),
        (Grading.REGEX, "(?i)^yes\\b", "YES, it is", "oh yes"),
        (Grading.NUMBER, 1000, "So the answer is 1,000.0", "So the answer is 100"),
        (Grading.NUMBER, "3/4", "It is 0.75", "It is 0.7"),
        (Grading.CHOICE, "b", "The answer is **(B)**.", "The answer is C."),
        (Grading.JSON_SCHEMA, SCHEMA, 'Here:\n```json\n{"city": "aaa"}\n```', '{"city": "rome"}'),
    ],
)
def test_right_is_correct_and_wrong_is_not(grading: Grading, expected: Json, right: str, wrong: str) -> None:
    assert expectation_fault(grading, expected) is None
    assert grade_expected(grading, expected, right).outcome is Outcome.CORRECT
    assert grade_expected(grading, expected, wrong).outcome is Outcome.INCORRECT


@pytest.mark.parametrize("padding", ["\u00c9", "e\u0301\u0316", "\ufdfa", "\u3300 "])
def test_what_a_long_answer_contains_is_found_in_any_spelling(padding: str) -> None:
    filler = padding * 20_000
    for wanted, said in [
        ("Zu\u0308rich Stra\u00dfe", "Z\u00dcRICH\u3000STRASSE"),
        ("cafe", "CAFE"),
        ("\u6771\u4eac", "\u6771\u4eac"),
    ]:
        assert (
            grade_expected(Grading.CONTAINS, wanted, f"{filler} {said} {filler}").outcome is Outcome.CORRECT
        )
    assert grade_expected(Grading.CONTAINS, "cafe", f"{filler} cafe\u0301").outcome is Outcome.INCORRECT


def test_a_long_document_that_does_not_fit_is_not_quoted() -> None:
    grade = grade_expected(Grading.JSON_SCHEMA, SCHEMA, f"[{'1,' * 20_000}1]")
    assert (grade.outcome, grade.explanation) == (Outcome.INCORRECT, "does not fit the expected schema")
    assert gc.isenabled()


@pytest.mark.parametrize("grading", [one for one in Grading if one is not Grading.JUDGE])
def test_an_empty_answer_is_unparsed(grading: Grading) -> None:
    assert grade_expected(grading, "1", " \n").outcome is Outcome.UNPARSED


@pytest.mark.parametrize(
    ("grading", "answer"),
    [(Grading.NUMBER, "I do not know"), (Grading.CHOICE, "None of them"), (Grading.JSON_SCHEMA, "{city}")],
)
def test_what_gives_no_such_answer_is_unparsed(grading: Grading, answer: str) -> None:
    keys: dict[Grading, Json] = {Grading.JSON_SCHEMA: {}, Grading.NUMBER: "1", Grading.CHOICE: "A"}
    assert grade_expected(grading, keys[grading], answer).outcome is Outcome.UNPARSED


@pytest.mark.parametrize(
    ("grading", "expected", "fault"),
    [
        (Grading.REGEX, "(?=a)", "not a pattern"),
        (Grading.REGEX, "(", "not a pattern"),
        (Grading.REGEX, "(?:a{1000}){1000}", "not a pattern"),
        (Grading.NUMBER, "many", "not a number"),
        (Grading.CHOICE, "AB", "not a single letter"),
        (Grading.EXACT, {"a": 1}, "must be text"),
        (Grading.EXACT, [], "must be text"),
        (Grading.CONTAINS, " ", "is empty"),
        (Grading.JSON_SCHEMA, "text", "must be a JSON schema"),
        (Grading.JSON_SCHEMA, {"type": "wrong"}, "not a JSON schema"),
        (Grading.JSON_SCHEMA, {"$ref": "http://example.invalid/s"}, "nothing is fetched"),
    ],
)
def test_what_cannot_be_graded_against_is_told_beforehand(
    grading: Grading, expected: Json, fault: str
) -> None:
    assert fault in (expectation_fault(grading, expected) or "")


def test_hostile_patterns_and_answers_come_to_an_end() -> None:
    """Backtracking would take centuries."""
    grade_expected(Grading.REGEX, "(a+)+$", "a" * 200_000 + "b")
    grade_expected(Grading.JSON_SCHEMA, SCHEMA, '{"city": "' + "a" * 200_000 + 'b"}')
    grade_expected(Grading.JSON_SCHEMA, SCHEMA, "```json\n" * 50_000)
    grade_expected(Grading.CHOICE, "A", "answer " + " " * 200_000)
    grade_expected(Grading.NUMBER, "1", "1," * 100_000)
