"""Pages of attempts as SQL: which attempts, and in what order."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, extract, func, or_

from assay.adapters.store.attempts.tables import attempts
from assay.adapters.store.database.substrings import contains
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId
from assay.engine.stores.attempts import AttemptFilter

KEY = attempts.c.item_id, attempts.c.sample
_SEARCHED = (
    attempts.c.item_id,
    attempts.c.extracted,
    attempts.c.expected,
    attempts.c.answer,
    attempts.c.error_message,
)


def conditions(evaluation_id: EvaluationId, wanted: AttemptFilter, dialect: str) -> list[ColumnElement[bool]]:
    found = [attempts.c.evaluation_id == evaluation_id]
    if wanted.outcomes:
        found.append(attempts.c.outcome.in_(names(wanted.outcomes)))
    if wanted.items:
        found.append(attempts.c.item_id.in_(wanted.items))
    if wanted.search is not None:
        found.append(or_(*(contains(column, wanted.search, dialect) for column in _SEARCHED)))
    return found


def order(wanted: AttemptFilter, dialect: str) -> tuple[ColumnElement[Any], ...]:
    if wanted.sort == "item":
        return KEY
    figure = attempts.c.score if wanted.sort in {"score", "-score"} else _duration_ms(dialect)
    directed = figure.desc() if wanted.sort.startswith("-") else figure.asc()
    return directed.nulls_last(), *KEY


def names(outcomes: Collection[Outcome]) -> list[str]:
    return sorted(outcome.value for outcome in outcomes)


def _duration_ms(dialect: str) -> ColumnElement[Any]:
    start, end = attempts.c.started_at, attempts.c.finished_at
    if dialect == "postgresql":
        whole = extract("epoch", end.op("-")(start)) * 1000.0
    else:
        # Days as floats, exact to the millisecond.
        whole = func.round((func.julianday(end) - func.julianday(start)) * 86_400_000.0)
    return func.coalesce(attempts.c.stream_ms, whole)
