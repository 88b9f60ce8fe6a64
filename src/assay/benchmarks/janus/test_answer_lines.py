"""Labelled lines are read exactly: notation is forgiven, ambiguity is not."""

import pytest

from assay.benchmarks.janus.answer_lines import answer_cue, answer_protocol, grade_answer_lines
from assay.domain.messages import Completion
from assay.domain.outcome import Outcome

TASK = {
    "expected_answer": {
        "Total": 1204,
        "Mean": 3.5,
        "Town": "the Old Harbour",
        "Ranking": ["Kite Farm", "Brook Farm"],
        "Towns": ["Quenby", "Marrick"],
        "Verdict": False,
    },
    "evaluation": {"any_order": ["Towns"], "accept": {"Town": ["Harbour"]}, "tolerance": {"Mean": 0.1}},
}
RIGHT = answer_cue(TASK).right or ""


def grade(text: str, task: object = TASK) -> tuple[Outcome, float]:
    found = grade_answer_lines(task, Completion(text))  # type: ignore[arg-type]
    return found.outcome, found.score


def with_line(label: str, value: str) -> str:
    return "\n".join(
        f"{label}: {value}" if line.startswith(f"{label}:") else line for line in RIGHT.split("\n")
    )


def test_the_cue_is_right_and_its_opposite_wrong() -> None:
    assert grade(RIGHT) == (Outcome.CORRECT, 1.0)
    assert grade(answer_cue(TASK).wrong or "") == (Outcome.INCORRECT, 0.0)


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("Total", "1,204"),
        ("Total", "**1204**"),
        ("Total", "1204.0 passengers"),
        ("Total", "$1,204."),
        ("Mean", "3.6"),
        ("Mean", "3.4 %"),
        ("Town", "old harbour"),
        ("Town", "Harbour."),
        ("Ranking", "kite farm, Brook Farm"),
        ("Towns", "Marrick; Quenby"),
        ("Verdict", "False"),
    ],
)
def test_notation_is_forgiven(label: str, value: str) -> None:
    assert grade(with_line(label, value)) == (Outcome.CORRECT, 1.0)


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("Total", "1205"),
        ("Total", "1204 thousand"),
        ("Total", "1204 or 1205"),
        ("Total", "about 1204"),
        ("Total", "-1204"),
        ("Total", "[number]"),
        ("Mean", "3.61"),
        ("Town", "New Harbour"),
        ("Town", "Old Harbour or Quenby"),
        ("Ranking", "Brook Farm; Kite Farm"),
        ("Towns", "Quenby; Marrick; Skelby"),
        ("Towns", "Quenby"),
        ("Verdict", "TRUE"),
        ("Verdict", "TRUE or FALSE"),
        ("Verdict", "not TRUE"),
    ],
)
def test_another_value_is_wrong(label: str, value: str) -> None:
    outcome, score = grade(with_line(label, value))
    assert outcome is Outcome.PARTIAL
    assert score == pytest.approx(5 / 6)


def test_a_label_with_two_values_is_unreadable_and_with_one_value_twice_is_read() -> None:
    task = {"expected_answer": {"Verdict": True}}
    assert grade("Verdict: TRUE\nVerdict: FALSE", task) == (Outcome.UNPARSED, 0.0)
    assert grade("Verdict: FALSE\nI mean:\nVerdict: TRUE", task) == (Outcome.UNPARSED, 0.0)
    assert grade("**Verdict:** TRUE\n\nverdict: true", task) == (Outcome.CORRECT, 1.0)


def test_a_verdict_without_its_figure_is_worth_nothing() -> None:
    task = {
        "expected_answer": {"Total": 12, "Verdict": True},
        "evaluation": {"all_or_nothing": True},
    }
    assert grade("Verdict: TRUE", task) == (Outcome.INCORRECT, 0.0)
    assert grade("Total: 13\nVerdict: TRUE", task) == (Outcome.INCORRECT, 0.0)
    assert grade("Total: 12\nVerdict: TRUE", task) == (Outcome.CORRECT, 1.0)


def test_what_stands_in_running_text_does_not_count() -> None:
    assert grade("The total is 1204 and the town is the Old Harbour. FALSE.") == (Outcome.UNPARSED, 0.0)


def test_the_form_that_the_prompt_asks_for_is_no_answer() -> None:
    assert grade(answer_protocol(TASK)) == (Outcome.UNPARSED, 0.0)


def test_a_single_answer_has_a_label_of_its_own() -> None:
    task = {"expected_answer": "1994-05-02"}
    assert "Answer: [date as YYYY-MM-DD]" in answer_protocol(task)
    assert grade("It began on\nAnswer: 1994-05-02", task) == (Outcome.CORRECT, 1.0)
