"""What the options of graders change, and the graders that measure."""

import pytest

from assay.domain.dataset_report import Grading
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.engine.graders.rules.expected import expectation_fault, grade_expected
from assay.engine.graders.rules.json_equal import first_difference
from assay.engine.graders.rules.overlap import missing_library


@pytest.mark.parametrize(
    ("grading", "options", "expected", "answer", "is_right"),
    [
        (Grading.EXACT, {}, "Paris", "paris.", False),
        (Grading.EXACT, {"normalise": True}, "Paris", " paris. ", True),
        (Grading.CONTAINS, {}, ["red", "blue"], "only red", True),
        (Grading.CONTAINS, {"all": True}, ["red", "blue"], "only red", False),
        (Grading.CONTAINS, {"all": True}, ["red", "blue"], "Blue and RED", True),
        (Grading.NUMBER, {}, 3.14, "The answer is 3.1", False),
        (Grading.NUMBER, {"tolerance": 0.05}, 3.14, "The answer is 3.1", True),
        (Grading.NUMBER, {"tolerance": 0.1}, 0.3, "The answer is 0.2", True),
        (Grading.NUMBER, {"relative": 0.01}, 1000, "The answer is 990", True),
        (Grading.NUMBER, {"relative": 0.01}, 1000, "The answer is 989", False),
        (Grading.NUMBER, {"relative": 0.01}, -1000, "The answer is -1010", True),
        (Grading.JSON, {}, {"a": 1, "b": [True, None]}, '{"b": [true, null], "a": 1.0}', True),
        (Grading.JSON, {}, {"a": 1}, '```json\n{"a": 1, "b": 2}\n```', False),
        (Grading.JSON, {"subset": True}, {"a": 1}, '{"a": 1, "b": 2}', True),
        (Grading.JSON, {"tolerance": 0.1}, [1.0], "[1.05]", True),
        (Grading.JSON, {}, "Paris", '"Paris"', True),
        (Grading.F1, {"at_least": 0.5}, "the cat sat", "A cat sat down", True),
        (Grading.F1, {"at_least": 0.9}, "the cat sat", "A cat sat down", False),
    ],
)
def test_what_an_option_changes(
    grading: Grading,
    options: dict[str, Json],
    expected: Json,
    answer: str,
    is_right: bool,  # noqa: FBT001
) -> None:
    grade = grade_expected(grading, expected, answer, options)
    assert (grade.outcome, grade.score) == ((Outcome.CORRECT, 1.0) if is_right else (Outcome.INCORRECT, 0.0))


@pytest.mark.parametrize(
    ("said", "expected", "difference"),
    [
        ([1, 2], [1], "the document: has 2 members, not 1"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "/a/b: is 1, not 2"),
        ({}, {"a": None}, "the document: has no 'a'"),
        ({"a": True}, {"a": 1}, "/a: is True, not 1"),
        ([{"x": "1"}], [{"x": 1}], "/0/x: is '1', not 1"),
        ({"a": []}, {"a": {}}, "/a: is [], not {}"),
    ],
)
def test_the_first_difference_is_named_with_its_place(said: Json, expected: Json, difference: str) -> None:
    assert first_difference(said, expected) == difference


@pytest.mark.parametrize("grading", [Grading.ROUGE_L, Grading.BLEU])
def test_a_library_that_is_missing_is_named_before_anything_is_asked(
    grading: Grading, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert expectation_fault(grading, "text") is None

    def nothing(name: str) -> None:
        del name

    monkeypatch.setattr("assay.engine.graders.rules.overlap.find_spec", nothing)
    missing_library.cache_clear()
    assert "pip install 'assay-benchmarks[text]'" in (expectation_fault(grading, "text") or "")
    missing_library.cache_clear()
    assert expectation_fault(Grading.F1, "text") is None


def test_a_value_of_many_levels_is_compared() -> None:
    deep: Json = []
    for _ in range(5_000):
        deep = [deep]
    assert first_difference(deep, deep) is None


# As `rouge_score` 0.1.2 (rougeL, no stemmer) and sacrebleu 2.6.0 (sentence_bleu) give them.
MEASURED = [
    (Grading.ROUGE_L, "The cat sat on the mat.", "the cat is on the mat", 0.8333333333333334),
    (Grading.ROUGE_L, "mat the on sat cat the", "the cat sat on the mat", 0.5),
    (Grading.ROUGE_L, "Ein 3-Tage_Plan", "a 3 tage plan", 0.75),
    (Grading.ROUGE_L, "Nothing of it", "the cat sat", 0.0),
    (Grading.ROUGE_L, "Same words here", "same words, here!", 1.0),
    (Grading.BLEU, "the cat sat on the mat", "the cat sat on the mat", 1.0),
    (Grading.BLEU, "the cat sat on a mat", "the cat sat on the mat", 0.537284965911771),
    (Grading.F1, "It is the city of Paris, France", "Paris", 0.2857142857142857),
    (Grading.F1, "Rome", "Paris", 0.0),
]


@pytest.mark.parametrize(("grading", "answer", "expected", "value"), MEASURED)
def test_a_measure_is_the_score_where_no_threshold_is_given(
    grading: Grading, answer: str, expected: str, value: float
) -> None:
    grade = grade_expected(grading, [expected, "zzz"], answer)
    assert grade.score == pytest.approx(value, abs=1e-12)
    wanted = {1.0: Outcome.CORRECT, 0.0: Outcome.INCORRECT}.get(value, Outcome.PARTIAL)
    assert grade.outcome is wanted
