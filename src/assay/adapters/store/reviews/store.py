"""Labels of people on attempts, later gradings of stored answers, and what judges used."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, tuple_, update

from assay.adapters.store.attempts.store import require_attempt
from assay.adapters.store.attempts.tables import calls
from assay.adapters.store.attempts.tallies import is_known, sum_of_tokens
from assay.adapters.store.database.codec import json_object, json_text
from assay.adapters.store.database.prepared import insert_rows
from assay.adapters.store.database.transactions import DatabaseStore, paged, read, write
from assay.adapters.store.evaluations import evaluations
from assay.adapters.store.offload.attempts import require_here
from assay.adapters.store.reviews.tables import annotations, judged_attempts, judgements
from assay.adapters.store.summaries import calls_from, calls_text, summary_from, summary_text
from assay.domain.attempt import AttemptKey
from assay.domain.errors import ConflictError, StoreError, UnknownNameError
from assay.domain.outcome import Outcome
from assay.domain.review import Annotation, Label, Regrade, RegradedAttempt, RegradeId
from assay.domain.run import EvaluationId
from assay.domain.summary import Summary, Tokens

_REGRADED_PER_PAGE = 500
_KEY = judged_attempts.c.item_id, judged_attempts.c.sample


class SqlReviewStore(DatabaseStore):
    @write
    def add_annotation(self, connection: Connection, annotation: Annotation) -> Annotation:
        require_here(connection, annotation.evaluation_id)
        require_attempt(connection, annotation.evaluation_id, annotation.key)
        statement = insert(annotations).values(_annotation_values(annotation)).returning(annotations.c.id)
        return replace(annotation, id=connection.execute(statement).scalar_one())

    @read
    def annotations(self, connection: Connection, evaluation_id: EvaluationId) -> tuple[Annotation, ...]:
        statement = select(annotations).where(annotations.c.evaluation_id == evaluation_id)
        return tuple(_annotation(row) for row in connection.execute(statement.order_by(annotations.c.id)))

    @write
    def remove_annotation(
        self, connection: Connection, evaluation_id: EvaluationId, annotation_id: int
    ) -> None:
        known = annotations.c.evaluation_id == evaluation_id, annotations.c.id == annotation_id
        if connection.execute(delete(annotations).where(*known)).rowcount == 0:
            raise UnknownNameError("label in this evaluation", str(annotation_id))

    @write
    def add_regrade(self, connection: Connection, regrade: Regrade) -> None:
        known = select(evaluations.c.id).where(evaluations.c.id == regrade.evaluation_id)
        if connection.scalar(known) is None:
            raise StoreError(f"no evaluation {regrade.evaluation_id!r} to regrade; add its run first")
        if connection.scalar(select(judgements.c.id).where(judgements.c.id == regrade.id)) is not None:
            raise ConflictError(f"regrade {regrade.id!r} is stored already")
        connection.execute(insert(judgements), _regrade_values(regrade))

    @read
    def regrades(self, connection: Connection, evaluation_id: EvaluationId) -> tuple[Regrade, ...]:
        statement = select(judgements).where(judgements.c.evaluation_id == evaluation_id)
        order = judgements.c.created_at, judgements.c.id
        return tuple(_regrade(row) for row in connection.execute(statement.order_by(*order)))

    @write
    def add_regraded(
        self, connection: Connection, regrade_id: RegradeId, regraded: Sequence[RegradedAttempt]
    ) -> None:
        known = select(judgements.c.id).where(judgements.c.id == regrade_id)
        if connection.scalar(known) is None:
            raise UnknownNameError("regrade", regrade_id)
        insert_rows(connection, judged_attempts, [_regraded_row(regrade_id, one) for one in regraded])

    def regraded(self, regrade_id: RegradeId) -> AsyncIterator[RegradedAttempt]:
        return paged(partial(self._regraded_page, regrade_id), key=lambda one: one.key)

    @read
    def _regraded_page(
        self, connection: Connection, regrade_id: RegradeId, after: AttemptKey | None
    ) -> list[RegradedAttempt]:
        statement = select(judged_attempts).where(judged_attempts.c.judgement_id == regrade_id)
        if after is not None:
            statement = statement.where(tuple_(*_KEY) > tuple_(*after))
        return [
            _regraded(row) for row in connection.execute(statement.order_by(*_KEY).limit(_REGRADED_PER_PAGE))
        ]

    @write
    def finish_regrade(self, connection: Connection, regrade_id: RegradeId, summary: Summary) -> None:
        text = summary_text(summary)
        statement = update(judgements).where(judgements.c.id == regrade_id).values(summary=text)
        if connection.execute(statement).rowcount == 0:
            raise UnknownNameError("regrade", regrade_id)

    @read
    def judge_tokens(self, connection: Connection, evaluation_id: EvaluationId) -> Tokens:
        known = is_known(calls.c.input_tokens) & is_known(calls.c.output_tokens)
        answered = calls.c.status == 200  # noqa: PLR2004
        statement = select(
            sum_of_tokens(calls.c.input_tokens, known),
            sum_of_tokens(calls.c.output_tokens, known),
            sum_of_tokens(calls.c.reasoning_tokens, known),
            func.count().filter(~known & answered),
        ).where(calls.c.evaluation_id == evaluation_id, calls.c.role != "model")
        sent, received, reasoning, unknown = connection.execute(statement).one()
        return Tokens(int(sent), int(received), int(reasoning), int(unknown))


def _annotation_values(annotation: Annotation) -> dict[str, object]:
    return {
        "evaluation_id": annotation.evaluation_id,
        "item_id": annotation.item_id,
        "sample": annotation.sample,
        "label": annotation.label.value,
        "note": annotation.note,
        "author": annotation.author,
        "created_at": annotation.created_at,
        "owner": annotation.owner,
    }


def _annotation(row: Row[Any]) -> Annotation:
    return Annotation(
        evaluation_id=row.evaluation_id,
        item_id=row.item_id,
        sample=row.sample,
        label=Label(row.label),
        created_at=row.created_at,
        note=row.note,
        author=row.author,
        owner=row.owner,
        id=row.id,
    )


def _regrade_values(regrade: Regrade) -> dict[str, object]:
    return {
        "id": regrade.id,
        "evaluation_id": regrade.evaluation_id,
        "grader": regrade.grader,
        "judge": regrade.judge,
        "created_at": regrade.created_at,
        "summary": None if regrade.summary is None else summary_text(regrade.summary),
    }


def _regrade(row: Row[Any]) -> Regrade:
    return Regrade(
        id=row.id,
        evaluation_id=row.evaluation_id,
        grader=row.grader,
        judge=row.judge,
        created_at=row.created_at,
        summary=None if row.summary is None else summary_from(row.summary),
    )


def _regraded_row(regrade_id: RegradeId, regraded: RegradedAttempt) -> tuple[object, ...]:
    """In the order of the table's columns."""
    return (
        regrade_id,
        regraded.item_id,
        regraded.sample,
        regraded.outcome.value,
        regraded.score,
        regraded.extracted,
        regraded.explanation,
        json_text(regraded.details) if regraded.details else None,
        regraded.error_code,
        regraded.error_message,
        regraded.cost_usd,
        calls_text(regraded.calls) if regraded.calls else None,
    )


def _regraded(row: Row[Any]) -> RegradedAttempt:
    return RegradedAttempt(
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
        calls=() if row.calls is None else calls_from(row.calls),
    )
