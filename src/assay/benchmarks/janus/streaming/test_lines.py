"""Lines are compared in their places; lines of the model's own follow the rules they were given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.janus.streaming.lines import LINES
from assay.domain.benchmark import Row
from assay.domain.calls.messages import Completion
from assay.domain.outcome import Outcome

EXACT: Row = {"expected_answer": "17\n20\n23\n26"}
RULES: Row = {
    "evaluation": {"line_rules": {"count": 3, "words": 3, "starts": ["c", "a", "b"], "contains": ["sea"]}}
}
GOOD = "Cold sea wind\nA sea bird\nBlue sea, sky's"


def score(task: Row, reply: str) -> float:
    return LINES.grade(task, Completion(reply)).score


@pytest.mark.parametrize(
    ("reply", "share"),
    [
        ("17\n20\n23\n26", 1.0),
        ("```\n17\n\n20 \n  23\n26\n```", 1.0),
        ("17\n20\n24\n26", 0.75),
        ("17\n20", 0.5),
        ("Here they are:\n17\n20\n23\n26", 0.8),
        ("17:\n17\n20\n23\n26", 0.8),
        ("I counted them.\n17\n20\n23\n26", 0.0),
        ("17\n20\n23\n26\n29\n32\n35\n38", 0.5),
        ("17\n20\n23\n26" + "\n29" * 5, 0.0),
        ("- 17\n- 20\n- 23\n- 26", 1.0),
        ("1. 17\n2. 20\n3. 23\n4. 26", 1.0),
        ("- 17\n20\n23\n26", 0.75),
        ("17 20 23 26", 0.0),
    ],
)
def test_the_score_is_the_share_of_lines_in_their_places(reply: str, share: float) -> None:
    assert score(EXACT, reply) == share


def test_an_empty_reply_is_unparsed() -> None:
    assert LINES.grade(EXACT, Completion("\n \n```")).outcome is Outcome.UNPARSED


@pytest.mark.parametrize(
    ("reply", "share"),
    [
        (GOOD, 1.0),
        (GOOD.replace("Blue", "Grey"), 2 / 3),
        (GOOD.replace("A sea bird", "A seaside bird"), 2 / 3),
        (GOOD.replace("A sea bird", "A big sea bird"), 2 / 3),
        (GOOD + "\nCalm sea day", 0.0),
        (f"Here is my poem:\n\n{GOOD}", 0.75),
        ("Cold sea wind", 0.0),
    ],
)
def test_each_line_follows_every_rule(reply: str, share: float) -> None:
    assert score(RULES, reply) == pytest.approx(share)


def test_a_line_that_is_there_twice_counts_once() -> None:
    task: Row = {"evaluation": {"line_rules": {"count": 4, "words": 2}}}
    assert score(task, "one two\nONE two\none  two\nthree four") == 0.5


@pytest.mark.parametrize("task", [EXACT, RULES, {"expected_answer": "- a\n- b"}])
def test_the_cue_follows_the_task(task: Row) -> None:
    assert score(task, LINES.cue(task).right or "") == 1
    assert score(task, LINES.cue(task).wrong or "") == 0


@given(st.text(max_size=200))
def test_any_reply_has_a_score_from_0_to_1(reply: str) -> None:
    assert 0 <= score(EXACT, reply) <= 1
    assert 0 <= score(RULES, reply) <= 1
