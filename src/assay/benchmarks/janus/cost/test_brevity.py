"""Length counts only once the content is right, and the score never leaves 0 to 1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.janus.cost.brevity import CONCISE, DIRECT, EXPLANATION
from assay.domain.benchmark import Row
from assay.domain.calls.messages import Completion
from assay.domain.outcome import Outcome

TASK: Row = {"prompt": "Which?", "expected_facts": ["Atlantic", "Pacific"], "evaluation": {"max_words": 4}}
NUMBER: Row = {"expected_answer": 391}


@pytest.mark.parametrize(
    ("reply", "concise", "explanation"),
    [
        ("Atlantic and Pacific", 1.0, 1.0),
        ("It joins the Atlantic and the Pacific.", 0.85, 0.8),
        ("It joins the Atlantic and the Pacific, as everybody knows.", 0.7, 0.6),
        ("Atlantic", 0.35, 0.3),
        ("The Atlantic, on which ships have sailed for so long", 0.35, 0.3),
        ("Arctic and Indian", 0.0, 0.0),
        ("I cannot help with that.", 0.0, 0.0),
        ("Atlantic Pacific " * 11, 0.0, 0.0),
        ("", 0.0, 0.0),
    ],
)
def test_content_comes_before_length(reply: str, concise: float, explanation: float) -> None:
    assert CONCISE.grade(TASK, Completion(reply)).score == pytest.approx(concise)
    assert EXPLANATION.grade(TASK, Completion(reply)).score == pytest.approx(explanation)


def test_the_details_say_what_is_missing_and_how_long_the_reply_was() -> None:
    grade = CONCISE.grade(TASK, Completion("The Atlantic, I think."))
    assert grade.details == {"facts": {"Atlantic": True, "Pacific": False}, "words": 4, "max_words": 4}
    assert grade.explanation == "not stated: Pacific; 4 words, 4 allowed"


PLANETS: Row = {
    "prompt": "Which planet has the most mass, and which the least?",
    "expected_facts": ["Jupiter", "Mercury"],
    "evaluation": {"max_words": 10, "in_order": True, "wrong_facts": ["Venus", "Mars"]},
}
PERCENT: Row = {
    "prompt": "What is 15 percent of 240, and what is a ninth of that? Answer in at most 8 words.",
    "expected_facts": ["36", "4"],
    "evaluation": {"max_words": 8, "in_order": True},
}


@pytest.mark.parametrize(
    ("task", "reply", "score"),
    [
        (PLANETS, "Most: **Jupiter**; least: **Mercury**.", 1.0),
        (PLANETS, "Jupiter has the most, Mercury the least.", 1.0),
        (PLANETS, "Mercury the most, Jupiter the least.", 0.0),
        (PLANETS, "Jupiter, Mercury, Venus, Mars", 0.0),
        (PLANETS, "Jupiter and Venus", 0.0),
        (PERCENT, "36, and 4.", 1.0),
        (PERCENT, "0.15 x 240 = 36; 36 / 9 = 4", 0.85),
        (PERCENT, r"$36$ and $\frac{36}{9} = 4$", 1.0),
        (PERCENT, "4 and 36", 0.0),
        (PERCENT, " ".join(map(str, range(40))), 0.0),
        (PERCENT, ",".join(map(str, range(40))), 0.0),
        (PERCENT, "/".join(map(str, range(40))), 0.0),
    ],
)
def test_a_list_of_guesses_is_no_answer(task: Row, reply: str, score: float) -> None:
    assert CONCISE.grade(task, Completion(reply)).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("reply", "outcome", "score"),
    [
        ("391", Outcome.CORRECT, 1.0),
        (" **391.** \n", Outcome.CORRECT, 1.0),
        ("391.0", Outcome.CORRECT, 1.0),
        ("The product is 391.", Outcome.PARTIAL, 0.5),
        ("391 (three hundred and ninety-one)", Outcome.PARTIAL, 0.5),
        ("17 x 23 = 391", Outcome.PARTIAL, 0.5),
        (r"$17 \times 23 = 391$", Outcome.PARTIAL, 0.5),
        (r"\(391\)", Outcome.CORRECT, 1.0),
        (r"$\boxed{391}$", Outcome.CORRECT, 1.0),
        ("<think>17 times 20 is 340, and 51.</think>\n\n391", Outcome.CORRECT, 1.0),
        ("391 crowns", Outcome.PARTIAL, 0.5),
        ("17 x 23 = 392", Outcome.INCORRECT, 0.0),
        ("390 = 391 = 392", Outcome.INCORRECT, 0.0),
        ("390, 391, 392", Outcome.UNPARSED, 0.0),
        ("392", Outcome.INCORRECT, 0.0),
        ("It is 392.", Outcome.INCORRECT, 0.0),
        ("391 or 392", Outcome.UNPARSED, 0.0),
        ("To answer this, let me first think about it in some detail: it is 391", Outcome.UNPARSED, 0.0),
        ("", Outcome.UNPARSED, 0.0),
        ("many", Outcome.UNPARSED, 0.0),
    ],
)
def test_a_direct_answer_is_the_number_alone(reply: str, outcome: Outcome, score: float) -> None:
    grade = DIRECT.grade(NUMBER, Completion(reply))
    assert (grade.outcome, grade.score) == (outcome, score)


@given(st.text(max_size=200))
def test_any_reply_has_a_score_from_0_to_1(reply: str) -> None:
    for kind, task in ((CONCISE, TASK), (EXPLANATION, TASK), (DIRECT, NUMBER)):
        assert 0 <= kind.grade(task, Completion(reply)).score <= 1
