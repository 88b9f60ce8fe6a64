"""What judging cost in all, and how far the votes agree."""

from decimal import Decimal

import pytest

from assay.domain.calls.messages import Json
from assay.domain.summary import VoteAgreement
from assay.engine.results.summarise import JudgeTally
from tests.builders import attempt


def votes(*said: bool | None) -> dict[str, Json]:
    return {"votes": [{"judge": "j", "error": "x"} if one is None else {"correct": one} for one in said]}


def tally(*details: dict[str, Json]) -> JudgeTally:
    made = JudgeTally()
    for number, one in enumerate(details):
        made.add(attempt(str(number), details=one))
    return made


def test_costs_are_added_and_one_unknown_makes_all_unknown() -> None:
    made = JudgeTally()
    assert made.cost_usd is None
    made.add(attempt("0", judge_cost_usd=Decimal("0.1")))
    made.add(attempt("1", judge_cost_usd=Decimal(0)))
    assert made.cost_usd == Decimal("0.1")
    made.add(attempt("2", judge_cost_usd=None))
    assert made.cost_usd is None


def test_without_several_votes_there_is_no_agreement() -> None:
    assert tally({}, {"votes": "text"}, votes(True), votes(True, None)).agreement() is None  # noqa: FBT003


def test_agreement_counts_answers_votes_and_failures() -> None:
    found = tally(votes(True, True), votes(False, False), votes(True, False), votes(True, None)).agreement()  # noqa: FBT003
    assert found is not None
    assert found.alpha == pytest.approx(4 / 9)
    assert (found.unanimous, found.answers, found.votes, found.failed) == (pytest.approx(2 / 3), 3, 7, 1)


def test_votes_that_never_vary_have_no_alpha() -> None:
    expected = VoteAgreement(alpha=None, unanimous=1.0, answers=2, votes=4, failed=0)
    assert tally(votes(True, True), votes(True, True)).agreement() == expected  # noqa: FBT003
