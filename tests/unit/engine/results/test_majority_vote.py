"""The majority of repeated answers."""

import pytest

from assay.engine.results.summarise import MajorityVote
from tests.builders import attempt


def majority(*cast: tuple[str, str | None, float | None], samples: int) -> float | None:
    """The vote over (item, extracted answer, score)."""
    votes = MajorityVote()
    for sample, (item, extracted, score) in enumerate(cast):
        votes.add(attempt(item, sample=sample, extracted=extracted, score=score))
    found = votes.metrics(samples).get("majority")
    return found.value if found else None


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([("24", 1.0), ("24", 1.0), ("7", 0.0)], 1.0),
        ([("24", 1.0), ("7", 0.0), ("7", 0.0)], 0.0),
        ([("024", 1.0), ("24", 1.0), ("7", 0.0), ("7", 0.0), ("24.0", 1.0)], 1.0),
        ([(None, 0.0), (None, 0.0), ("24", 1.0)], 1.0),
        ([("7", 0.0), ("24", 1.0)], 0.0),
        ([("B", 1.0), (" B ", 1.0), ("A", 0.0)], 1.0),
    ],
    ids=["most", "outvoted", "by-value", "nothing-said-is-no-vote", "first-of-equals", "letters"],
)
def test_the_most_frequent_answer_decides(answers: list[tuple[str | None, float]], expected: float) -> None:
    assert majority(*(("1", *answer) for answer in answers), samples=len(answers)) == expected


def test_items_without_all_their_verdicts_are_left_out() -> None:
    assert majority(("1", "A", 1.0), ("1", "A", 1.0), ("2", "B", 0.0), ("2", None, None), samples=2) == 1.0


def test_without_any_extracted_answer_there_is_no_majority() -> None:
    assert majority(("1", None, 1.0), ("1", None, 0.0), samples=2) is None
