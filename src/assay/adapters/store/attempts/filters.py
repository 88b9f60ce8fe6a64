"""Pages of attempts as SQL: which attempts, and in what order."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Connection, extract, func, or_

from assay.adapters.store.attempts.tables import attempts
from assay.adapters.store.database.substrings import contains
from assay.adapters.store.search.matching import TextSearch
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
_SEARCHED_TEXTS = (attempts.c.answer_sha256, attempts.c.prompt_sha256)


def conditions(
    connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter
) -> list[ColumnElement[bool]]:
    found = [attempts.c.evaluation_id == evaluation_id]
    if wanted.outcomes:
        found.append(attempts.c.outcome.in_(names(wanted.outcomes)))
    if wanted.items:
        found.append(attempts.c.item_id.in_(wanted.items))
    if wanted.search:
        found.append(_holds(connection, wanted.search))
    return found


def _holds(connection: Connection, part: str) -> ColumnElement[bool]:
    search = TextSearch(connection, part)
    return or_(
        *(contains(column, part, connection.dialect.name) for column in _SEARCHED),
        *(search.holds(sha256) for sha256 in _SEARCHED_TEXTS),
    )


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
