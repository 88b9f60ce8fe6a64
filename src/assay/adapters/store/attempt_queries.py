"""Reading attempts, each statement inside a transaction of the caller."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

import orjson
from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    Text,
    bindparam,
    cast,
    extract,
    func,
    or_,
    select,
    tuple_,
)

from assay.adapters.store.attempt_rows import (
    WITH_TEXTS,
    WITHOUT_TEXTS,
    attempt_from,
    attempt_with_texts,
    call_from,
)
from assay.adapters.store.blobs import read_blobs, text_of
from assay.adapters.store.stored_values import storable
from assay.adapters.store.substrings import contains
from assay.adapters.store.tables import attempts, calls
from assay.domain.attempt import Attempt, AttemptKey, Call
from assay.domain.errors import UnknownNameError
from assay.domain.outcome import FINAL, Outcome
from assay.domain.run import EvaluationId
from assay.engine.stores.attempts import AttemptFilter

_KEY = attempts.c.item_id, attempts.c.sample
_SEARCHED = attempts.c.item_id, attempts.c.extracted, attempts.c.expected, attempts.c.answer


def results_page(
    connection: Connection, evaluation_id: EvaluationId, *, after: AttemptKey | None, limit: int
) -> list[Attempt]:
    statement = WITHOUT_TEXTS.where(attempts.c.evaluation_id == evaluation_id).order_by(*_KEY).limit(limit)
    if after is not None:
        statement = statement.where(tuple_(*_KEY) > tuple_(*after))
    return [attempt_from(row) for row in connection.execute(statement)]


def page(connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter) -> tuple[Attempt, ...]:
    dialect = connection.dialect.name
    order = _order(wanted, dialect)
    keys = select(*_KEY).where(*_conditions(evaluation_id, wanted, dialect))
    if wanted.after is not None:
        keys = keys.where(tuple_(*_KEY) > tuple_(*wanted.after))
    # Only keys are sorted and skipped; whole rows are wide, and read for this page alone.
    chosen = keys.order_by(*order).limit(wanted.limit).offset(wanted.offset).subquery()
    is_chosen = (attempts.c.item_id == chosen.c.item_id) & (attempts.c.sample == chosen.c.sample)
    statement = WITH_TEXTS.join(chosen, is_chosen).where(attempts.c.evaluation_id == evaluation_id)
    rows = connection.execute(statement.order_by(*order)).all()
    texts = read_blobs(connection, [sha256 for row in rows for sha256 in _hashes(row)])
    return tuple(attempt_with_texts(row, texts) for row in rows)


def answers_page(
    connection: Connection, evaluation_id: EvaluationId, *, after: AttemptKey | None, limit: int
) -> list[tuple[AttemptKey, str]]:
    statement = select(*_KEY, attempts.c.answer, attempts.c.answer_sha256).where(
        attempts.c.evaluation_id == evaluation_id, attempts.c.outcome.in_(_names(FINAL))
    )
    if after is not None:
        statement = statement.where(tuple_(*_KEY) > tuple_(*after))
    rows = connection.execute(statement.order_by(*_KEY).limit(limit)).all()
    texts = read_blobs(connection, [row.answer_sha256 for row in rows])
    return [
        (
            AttemptKey(row.item_id, row.sample),
            text_of(texts[row.answer_sha256]) if row.answer is None else row.answer,
        )
        for row in rows
    ]


def whole_page(
    connection: Connection, evaluation_id: EvaluationId, *, after: AttemptKey | None, limit: int
) -> list[Attempt]:
    statement = WITH_TEXTS.where(attempts.c.evaluation_id == evaluation_id)
    if after is not None:
        statement = statement.where(tuple_(*_KEY) > tuple_(*after))
    rows = connection.execute(statement.order_by(*_KEY).limit(limit)).all()
    if not rows:
        return []
    texts = read_blobs(connection, [sha256 for row in rows for sha256 in _hashes(row)])
    ends = (AttemptKey(row.item_id, row.sample) for row in (rows[0], rows[-1]))
    exchanges = _calls_between(connection, evaluation_id, *ends)
    return [attempt_with_texts(row, texts, tuple(exchanges[row.item_id, row.sample])) for row in rows]


def _calls_between(
    connection: Connection, evaluation_id: EvaluationId, first: AttemptKey, last: AttemptKey
) -> defaultdict[tuple[str, int], list[Call]]:
    key = tuple_(calls.c.item_id, calls.c.sample)
    statement = select(calls).where(
        calls.c.evaluation_id == evaluation_id, key >= tuple_(*first), key <= tuple_(*last)
    )
    found: defaultdict[tuple[str, int], list[Call]] = defaultdict(list)
    for row in connection.execute(statement.order_by(calls.c.item_id, calls.c.sample, calls.c.number)):
        found[row.item_id, row.sample].append(call_from(row))
    return found


def count(connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter) -> int:
    conditions = _conditions(evaluation_id, wanted, connection.dialect.name)
    return connection.execute(select(func.count()).select_from(attempts).where(*conditions)).scalar_one()


def one(connection: Connection, evaluation_id: EvaluationId, key: AttemptKey) -> Attempt:
    row = connection.execute(_with_key(WITH_TEXTS, attempts, evaluation_id, key)).one_or_none()
    if row is None:
        raise _no_attempt(evaluation_id, key)
    exchanges = connection.execute(
        _with_key(select(calls), calls, evaluation_id, key).order_by(calls.c.number)
    )
    texts = read_blobs(connection, _hashes(row))
    return attempt_with_texts(row, texts, tuple(call_from(call) for call in exchanges))


def must_exist(connection: Connection, evaluation_id: EvaluationId, key: AttemptKey) -> None:
    if not stored_among(connection, evaluation_id, [key], verdicts_only=False):
        raise _no_attempt(evaluation_id, key)


def _no_attempt(evaluation_id: EvaluationId, key: AttemptKey) -> UnknownNameError:
    name = f"{evaluation_id}/{key.item_id}/{key.sample}"
    return UnknownNameError("attempt", name, remedy="it has not been made, or the id is wrong")


def stored_keys(
    connection: Connection, evaluation_id: EvaluationId, *, verdicts_only: bool
) -> set[AttemptKey]:
    statement = select(attempts.c.item_id, attempts.c.sample).where(attempts.c.evaluation_id == evaluation_id)
    if verdicts_only:
        statement = statement.where(attempts.c.outcome.in_(_names(FINAL)))
    return {AttemptKey(item_id, sample) for item_id, sample in connection.execute(statement)}


def stored_among(
    connection: Connection, evaluation_id: EvaluationId, keys: Sequence[AttemptKey], *, verdicts_only: bool
) -> set[AttemptKey]:
    if not keys:
        return set()
    samples = [key.sample for key in keys]
    wanted = {
        "evaluation_id": evaluation_id,
        "items": orjson.dumps(sorted({storable(key.item_id) for key in keys})).decode(),
        # Of fifty samples of its items a shard has one or two.
        "first": min(samples),
        "last": max(samples),
    }
    statement = _stored_among(connection.dialect.name)
    if verdicts_only:
        statement = statement.where(attempts.c.outcome.in_(_names(FINAL)))
    return {AttemptKey(*key) for key in connection.execute(statement, wanted)} & set(keys)


@cache
def _stored_among(dialect: str) -> Select[Any, Any]:
    """Ids come as one JSON text: a parameter for each takes longer to prepare than the search."""
    items = bindparam("items", type_=Text)
    if dialect == "postgresql":
        listed = func.json_array_elements_text(cast(items, JSON)).column_valued("item")
    else:
        listed = func.json_each(items).table_valued("value").c.value
    return select(*_KEY).where(
        attempts.c.evaluation_id == bindparam("evaluation_id"),
        attempts.c.sample.between(bindparam("first"), bindparam("last")),
        attempts.c.item_id.in_(select(listed)),
    )


def _conditions(
    evaluation_id: EvaluationId, wanted: AttemptFilter, dialect: str
) -> list[ColumnElement[bool]]:
    conditions = [attempts.c.evaluation_id == evaluation_id]
    if wanted.outcomes:
        conditions.append(attempts.c.outcome.in_(_names(wanted.outcomes)))
    if wanted.items:
        conditions.append(attempts.c.item_id.in_(wanted.items))
    if wanted.search is not None:
        conditions.append(or_(*(contains(column, wanted.search, dialect) for column in _SEARCHED)))
    return conditions


def _order(wanted: AttemptFilter, dialect: str) -> tuple[ColumnElement[Any], ...]:
    if wanted.sort == "item":
        return _KEY
    figure = attempts.c.score if wanted.sort in {"score", "-score"} else _duration_ms(dialect)
    directed = figure.desc() if wanted.sort.startswith("-") else figure.asc()
    return directed.nulls_last(), *_KEY


def _duration_ms(dialect: str) -> ColumnElement[Any]:
    start, end = attempts.c.started_at, attempts.c.finished_at
    if dialect == "postgresql":
        whole = extract("epoch", end.op("-")(start)) * 1000.0
    else:
        # Days as floats, exact to the millisecond.
        whole = func.round((func.julianday(end) - func.julianday(start)) * 86_400_000.0)
    return func.coalesce(attempts.c.stream_ms, whole)


def _with_key(asked: Select[Any], table: Table, evaluation_id: EvaluationId, key: AttemptKey) -> Select[Any]:
    return asked.where(
        table.c.evaluation_id == evaluation_id, table.c.item_id == key.item_id, table.c.sample == key.sample
    )


def _hashes(row: Row[Any]) -> tuple[bytes | None, ...]:
    return row.answer_sha256, row.prompt_sha256, row.reasoning_sha256, row.test_code_sha256


def _names(outcomes: Collection[Outcome]) -> list[str]:
    return sorted(outcome.value for outcome in outcomes)
