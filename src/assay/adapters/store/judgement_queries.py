"""Later gradings of stored answers, and what judges used."""

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, func, insert, select, tuple_, update

from assay.adapters.store.codec import json_object, json_text
from assay.adapters.store.prepared import prepared_insert
from assay.adapters.store.review_tables import judged_attempts, judgements
from assay.adapters.store.tables import calls, evaluations
from assay.domain.attempt import AttemptKey, Call
from assay.domain.errors import ConflictError, StoreError, UnknownNameError
from assay.domain.outcome import Outcome
from assay.domain.review import JudgedAttempt, Judgement, JudgementId
from assay.domain.run import EvaluationId
from assay.domain.summary import Summary, Tokens

_SUMMARY = TypeAdapter(Summary)
_CALLS = TypeAdapter(tuple[Call, ...])
_KEY = judged_attempts.c.item_id, judged_attempts.c.sample


def add(connection: Connection, judgement: Judgement) -> None:
    known = select(evaluations.c.id).where(evaluations.c.id == judgement.evaluation_id)
    if connection.scalar(known) is None:
        raise StoreError(f"no evaluation {judgement.evaluation_id!r} to judge; add its run first")
    if connection.scalar(select(judgements.c.id).where(judgements.c.id == judgement.id)) is not None:
        raise ConflictError(f"judgement {judgement.id!r} is stored already")
    connection.execute(
        insert(judgements).values(
            id=judgement.id,
            evaluation_id=judgement.evaluation_id,
            grader=judgement.grader,
            judge=judgement.judge,
            created_at=judgement.created_at,
            summary=None if judgement.summary is None else _SUMMARY.dump_json(judgement.summary).decode(),
        )
    )


def of_evaluation(connection: Connection, evaluation_id: EvaluationId) -> tuple[Judgement, ...]:
    statement = select(judgements).where(judgements.c.evaluation_id == evaluation_id)
    order = judgements.c.created_at, judgements.c.id
    return tuple(_judgement(row) for row in connection.execute(statement.order_by(*order)))


def finish(connection: Connection, judgement_id: JudgementId, summary: Summary) -> None:
    text = _SUMMARY.dump_json(summary).decode()
    statement = update(judgements).where(judgements.c.id == judgement_id).values(summary=text)
    if connection.execute(statement).rowcount == 0:
        raise UnknownNameError("judgement", judgement_id)


def add_judged(connection: Connection, judgement_id: JudgementId, judged: Sequence[JudgedAttempt]) -> None:
    known = select(judgements.c.id).where(judgements.c.id == judgement_id)
    if connection.scalar(known) is None:
        raise UnknownNameError("judgement", judgement_id)
    statement = prepared_insert(judged_attempts, connection.dialect.name)
    statement.run(connection, statement.converted([_judged_row(judgement_id, one) for one in judged]))


def judged_page(
    connection: Connection, judgement_id: JudgementId, *, after: AttemptKey | None, limit: int
) -> list[JudgedAttempt]:
    statement = select(judged_attempts).where(judged_attempts.c.judgement_id == judgement_id)
    if after is not None:
        statement = statement.where(tuple_(*_KEY) > tuple_(*after))
    rows = connection.execute(statement.order_by(*_KEY).limit(limit))
    return [_judged(row) for row in rows]


def judge_tokens(connection: Connection, evaluation_id: EvaluationId) -> Tokens:
    known = calls.c.input_tokens.is_not(None) & calls.c.output_tokens.is_not(None)
    answered = calls.c.status == 200  # noqa: PLR2004
    statement = select(
        func.sum(calls.c.input_tokens).filter(known),
        func.sum(calls.c.output_tokens).filter(known),
        func.sum(calls.c.reasoning_tokens).filter(known),
        func.count().filter(~known & answered),
    ).where(calls.c.evaluation_id == evaluation_id, calls.c.role == "judge")
    sent, received, reasoning, unknown = connection.execute(statement).one()
    return Tokens(int(sent or 0), int(received or 0), int(reasoning or 0), int(unknown))


def _judgement(row: Row[Any]) -> Judgement:
    return Judgement(
        id=row.id,
        evaluation_id=row.evaluation_id,
        grader=row.grader,
        judge=row.judge,
        created_at=row.created_at,
        summary=None if row.summary is None else _SUMMARY.validate_json(row.summary),
    )


def _judged_row(judgement_id: JudgementId, judged: JudgedAttempt) -> tuple[object, ...]:
    """In the order of the table's columns."""
    return (
        judgement_id,
        judged.item_id,
        judged.sample,
        judged.outcome.value,
        judged.score,
        judged.extracted,
        judged.explanation,
        json_text(judged.details) if judged.details else None,
        judged.error_code,
        judged.error_message,
        judged.cost_usd,
        _CALLS.dump_json(judged.calls).decode() if judged.calls else None,
    )


def _judged(row: Row[Any]) -> JudgedAttempt:
    return JudgedAttempt(
        item_id=row.item_id,
        sample=row.sample,
        outcome=Outcome(row.outcome),
        score=row.score,
        extracted=row.extracted,
        explanation=row.explanation,
        details={} if row.details is None else json_object(row.details),
        error_code=row.error_code,
        error_message=row.error_message,
        cost_usd=row.cost_usd,
        calls=() if row.calls is None else _CALLS.validate_json(row.calls),
    )
