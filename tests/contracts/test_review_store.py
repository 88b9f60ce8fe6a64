"""The contract of the store for labels and later gradings."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from assay.domain.attempt import Call
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Usage
from assay.domain.errors import ConflictError, StoreError, UnknownNameError
from assay.domain.outcome import Outcome
from assay.domain.review import Annotation, Label, Regrade, RegradedAttempt, RegradeId
from assay.domain.run import EvaluationId
from assay.domain.summary import Tokens
from assay.engine.stores import Stores
from tests.builders import NOON, Seeded, attempt
from tests.contracts.test_run_store import SUMMARY

EVALUATION = EvaluationId("evaluation-1")
OTHER = EvaluationId("evaluation-2")
FIRST = RegradeId("first")


@pytest.fixture
async def seeded(store: Stores) -> Stores:
    await store.runs.add(Seeded().run, [Seeded().evaluation(), Seeded().evaluation(id=OTHER)], [])
    await store.attempts.add([attempt("0"), attempt("1"), attempt("ü/2", evaluation_id=OTHER)])
    return store


def label(item: str = "0", **changes: object) -> Annotation:
    return replace(Annotation(EVALUATION, ItemId(item), 0, Label.GOLDEN, NOON), **changes)


def regraded(item: str = "0", **changes: object) -> RegradedAttempt:
    return replace(RegradedAttempt(ItemId(item), 0, Outcome.CORRECT, 1.0), **changes)


async def test_labels_come_back_whole_and_in_order(seeded: Stores) -> None:
    given = [
        label(note="NUL \x00, half \ud83d, line\n", author="ü"),
        label("1", label=Label.FIX, created_at=NOON + timedelta(microseconds=1)),
        label(label=Label.WRONG),
    ]
    stored = [await seeded.reviews.add_annotation(one) for one in given]
    assert [replace(one, id=0) for one in stored] == given
    assert sorted({one.id for one in stored}) == [one.id for one in stored]
    assert await seeded.reviews.annotations(EVALUATION) == tuple(stored)
    assert await seeded.reviews.annotations(OTHER) == ()


async def test_a_label_needs_an_attempt(seeded: Stores) -> None:
    for wrong in (label("9"), label(sample=1), label("0", evaluation_id=OTHER)):
        with pytest.raises(UnknownNameError, match="no attempt"):
            await seeded.reviews.add_annotation(wrong)
    assert await seeded.reviews.annotations(EVALUATION) == ()


async def test_a_removed_label_is_gone_and_its_id_is_not_given_again(seeded: Stores) -> None:
    first, second = await seeded.reviews.add_annotation(label()), await seeded.reviews.add_annotation(label())
    await seeded.reviews.remove_annotation(EVALUATION, second.id)
    assert await seeded.reviews.annotations(EVALUATION) == (first,)
    assert (await seeded.reviews.add_annotation(label())).id > second.id
    for evaluation, number in ((EVALUATION, second.id), (OTHER, first.id)):
        with pytest.raises(UnknownNameError, match="no label in this evaluation"):
            await seeded.reviews.remove_annotation(evaluation, number)


async def test_a_regrade_is_unfinished_until_it_has_a_summary(seeded: Stores) -> None:
    regrade = Regrade(FIRST, EVALUATION, "letters/2", "sim/judge", NOON)
    later = Regrade(RegradeId("a"), EVALUATION, "letters/3", None, NOON + timedelta(seconds=1), SUMMARY)
    await seeded.reviews.add_regrade(later)
    await seeded.reviews.add_regrade(regrade)
    assert await seeded.reviews.regrades(EVALUATION) == (regrade, later)
    await seeded.reviews.finish_regrade(FIRST, SUMMARY)
    assert await seeded.reviews.regrades(EVALUATION) == (replace(regrade, summary=SUMMARY), later)
    assert await seeded.reviews.regrades(OTHER) == ()


async def test_a_regrade_needs_an_evaluation_and_a_new_id(seeded: Stores) -> None:
    regrade = Regrade(FIRST, EVALUATION, "letters/2", None, NOON)
    await seeded.reviews.add_regrade(regrade)
    with pytest.raises(ConflictError, match="stored already"):
        await seeded.reviews.add_regrade(regrade)
    with pytest.raises(StoreError, match="no evaluation 'none'"):
        await seeded.reviews.add_regrade(replace(regrade, evaluation_id=EvaluationId("none")))
    for unknown in (
        seeded.reviews.add_regraded(RegradeId("none"), [regraded()]),
        seeded.reviews.finish_regrade(RegradeId("none"), SUMMARY),
    ):
        with pytest.raises(UnknownNameError, match="no regrade 'none'"):
            await unknown


async def test_regraded_attempts_come_back_whole_and_the_first_stays(seeded: Stores) -> None:
    call = Call(
        NOON, 12.5, role="judge", status=200, usage=Usage(1, 2, 3, 4, Decimal("0.1")), served_model="j"
    )
    whole = regraded(
        "1",
        extracted="\x00",
        explanation="because \ud83d",
        details={"votes": [{"judge": "j", "correct": True}]},
        cost_usd=Decimal("0.10000000000000000001"),
        calls=(call, replace(call, status=500, error_code="server", error_message="down", usage=Usage())),
    )
    failed = regraded(
        "ü", outcome=Outcome.GRADER_ERROR, score=None, error_code="grader", error_message="no verdict"
    )
    await seeded.reviews.add_regrade(Regrade(FIRST, EVALUATION, "letters/2", "j", NOON))
    await seeded.reviews.add_regraded(FIRST, [failed, whole])
    await seeded.reviews.add_regraded(FIRST, [regraded("0"), regraded("1")])
    await seeded.reviews.add_regraded(FIRST, [])
    assert [one async for one in seeded.reviews.regraded(FIRST)] == [regraded("0"), whole, failed]
    assert [one async for one in seeded.reviews.regraded(RegradeId("none"))] == []


async def test_the_tokens_of_judges_are_summed_apart(seeded: Stores) -> None:
    assert await seeded.reviews.judge_tokens(OTHER) == Tokens()
    model = Call(NOON, 1.0, status=200, usage=Usage(1000, 1000))
    judge = Call(NOON, 1.0, role="judge", status=200, usage=Usage(30, 4, 3))
    calls = (model, judge, replace(judge, usage=Usage(5, 6)), replace(judge, usage=Usage()))
    failed = replace(judge, status=None, usage=Usage())
    await seeded.attempts.add([attempt("7", evaluation_id=OTHER, calls=(*calls, failed))])
    assert await seeded.reviews.judge_tokens(OTHER) == Tokens(35, 10, 3, unknown=1)
    assert await seeded.reviews.judge_tokens(EVALUATION) == Tokens()
