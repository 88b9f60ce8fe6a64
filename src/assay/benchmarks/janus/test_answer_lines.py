"""Labelled lines are read exactly: notation is forgiven, ambiguity is not."""

import pytest

from assay.benchmarks.janus.answer_lines import answer_cue, answer_protocol, grade_answer_lines
from assay.domain.calls.messages import Completion
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
    "evaluation": {
        "any_order": ["Towns"],
        "accept": {"Town": ["Harbour"], "Ranking": ["Kite; Brook"]},
        "tolerance": {"Mean": 0.1},
    },
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
        ("Total", "$1204$"),
        ("Total", r"\(1{,}204\)"),
        ("Total", r"$\boxed{1204}$"),
        ("Total", r"1\,204 \text{ passengers}"),
        ("Total", "1 204"),
        ("Total", "1\u202f204"),
        ("Total", "1'204"),
        ("Total", "600 + 604 = 1204 crowns"),
        ("Total", "1204 (600 + 604)"),
        ("Total", "1204 — the sum of both"),
        ("Total", "[1204]"),
        ("Total", "EUR 1,204.00"),
        ("Total", "1204 €"),
        ("Total", "1204 km/h"),
        ("Total", "1204 kWh/m²"),
        ("Mean", "3.5%"),
        ("Mean", r"3.5\%"),
        ("Mean", "3.5 °C"),
        ("Town", "“Old Harbour”"),
        ("Town", "Old Harbour (by a narrow margin)"),
        ("Town", "[Old Harbour]"),
        ("Ranking", "Kite Farm > Brook Farm"),
        ("Ranking", "Kite, Brook"),
        ("Ranking", "1. Kite Farm; 2. Brook Farm"),
        ("Ranking", "**Kite Farm**; **Brook Farm**"),
        ("Towns", "Marrick and Quenby"),
        ("Towns", "[Quenby; Marrick]"),
        ("Total", "Train 1204"),
        ("Verdict", "\u274c **FALSE**"),
        ("Verdict", "The claim is false."),
        ("Verdict", "FALSE (it is 1204)"),
        ("Verdict", "False, because it is 1204."),
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
        ("Verdict", "FALSE (or TRUE)"),
        ("Verdict", "FALSE, unless it is true"),
        ("Total", "minus 1204"),
        ("Total", "over 1204"),
        ("Verdict", "The claim is not false"),
        ("Total", "1204 (or 1205)"),
        ("Total", "1204 — or 1205"),
        ("Total", "1204; 1205"),
        ("Total", "1204k"),
        ("Total", "1204/1205"),
        ("Town", "Old Harbour (or Quenby)"),
        ("Ranking", "Kite Farm"),
        ("Ranking", "Brook; Kite"),
        ("Towns", "Quenby, Marrick and Skelby"),
    ],
)
def test_another_value_is_wrong(label: str, value: str) -> None:
    outcome, score = grade(with_line(label, value))
    assert outcome is Outcome.PARTIAL
    assert score == pytest.approx(5 / 6)


def test_a_label_with_two_values_is_unreadable_and_with_one_value_twice_is_read() -> None:
    task = {"expected_answer": {"Verdict": True}}
    assert grade("Verdict: TRUE\nVerdict: FALSE", task) == (Outcome.UNPARSED, 0.0)
    both = {"expected_answer": {"Verdict": True, "Total": 1}}
    assert grade("Verdict: FALSE\nVerdict: TRUE\nTotal: 1", both) == (Outcome.PARTIAL, 0.5)
    assert grade("**Verdict:** TRUE\n\nverdict: true", task) == (Outcome.CORRECT, 1.0)


STEPS = {"expected_answer": {"Day 1": 675, "Day 2": 535, "Result": 60}}
LAST = "Day 1: 675\nDay 2: 535\nResult: 60"


@pytest.mark.parametrize(
    "working",
    [
        "Day 1: 640 + 120 - 85 = 675\nDay 2: 675 - 140 = 535\nResult: 60\n\n",
        "**Day 1:** we add 120 and subtract 85.\n**Day 2:** 535, no rain\n\n",
        "Day 1: 700\nDay 2: 500\nWait, I forgot what was used. Once more:\n",
        "<think>\nResult: 61\nResult: 62\n</think>\n",
        "Result: 50\n\n---\n",
        "Day 1: 600\nDay 2: 500\nResult: 50\n\n",
    ],
)
def test_the_lines_at_the_end_count_and_not_those_of_the_working(working: str) -> None:
    assert grade(working + LAST, STEPS) == (Outcome.CORRECT, 1.0)


@pytest.mark.parametrize(
    "reply",
    [
        "1. Day 1: 675\n2. Day 2: 535\n3. Result: 60",
        "- **Day 1**: 675\n- **Day 2**: 535\n- **Result**: 60 litres",
        "### Day 1:\n675\n\n### Day 2:\n535\n\n### Result:\n**60**",
        "Day 1\uff1a675\nDay 2\uff1a535\nResult\uff1a60",
        "```\nDay 1: 675\nDay 2: 535\nResult: 60\n```",
        "> Day 1: 675\n> Day 2: 535\n> Result: 60",
        "Day 1: 675\n\nDay 2: 535\n\nResult: 60\n\nLet me know if you need the working!",
    ],
)
def test_lines_are_found_in_markdown(reply: str) -> None:
    assert grade(reply, STEPS) == (Outcome.CORRECT, 1.0)


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("Merrowby-Ostervale", "Merrowby\u2011Ostervale"),
        ("Merrowby-Ostervale", "Merrowby\u2013Ostervale"),
        ("widow's thimble", "widow\u2019s thimble"),
        ("2004-03-09", "2004\u201103\u201109"),
        ("09:05", "9:05"),
        ("-2/5", "(\u22122/5)"),
        ("evt_18715266", "`evt_18715266`"),
        ("+47 55 56 17", "+47 55 56 17"),
    ],
)
def test_typography_of_texts_does_not_count(right: str, said: str) -> None:
    assert grade(f"Answer: {said}", {"expected_answer": right}) == (Outcome.CORRECT, 1.0)


def test_many_guesses_are_one_at_most() -> None:
    task = {"expected_answer": {"Total": 1204}}
    guesses = [f"Total: {number}" for number in range(1200, 1210)]
    for separator in ("\n", "\n\n", "\nor\n"):
        assert grade(separator.join(guesses), task)[1] == 0


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
