"""Labels of people on attempts."""

from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from assay.adapters.store.attempt_queries import must_exist
from assay.adapters.store.review_tables import annotations
from assay.domain.errors import UnknownNameError
from assay.domain.review import Annotation, Label
from assay.domain.run import EvaluationId


def add(connection: Connection, annotation: Annotation) -> int:
    must_exist(connection, annotation.evaluation_id, annotation.key)
    statement = insert(annotations).values(_values(annotation)).returning(annotations.c.id)
    return connection.execute(statement).scalar_one()


def of_evaluation(connection: Connection, evaluation_id: EvaluationId) -> tuple[Annotation, ...]:
    statement = select(annotations).where(annotations.c.evaluation_id == evaluation_id)
    return tuple(_annotation(row) for row in connection.execute(statement.order_by(annotations.c.id)))


def remove(connection: Connection, evaluation_id: EvaluationId, annotation_id: int) -> None:
    known = annotations.c.evaluation_id == evaluation_id, annotations.c.id == annotation_id
    if connection.execute(delete(annotations).where(*known)).rowcount == 0:
        raise UnknownNameError("label in this evaluation", str(annotation_id))


def _values(annotation: Annotation) -> dict[str, object]:
    return {
        "evaluation_id": annotation.evaluation_id,
        "item_id": annotation.item_id,
        "sample": annotation.sample,
        "label": annotation.label.value,
        "note": annotation.note,
        "author": annotation.author,
        "created_at": annotation.created_at,
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
        id=row.id,
    )
