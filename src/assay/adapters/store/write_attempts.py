"""Writing attempts: the path every answer of every model takes, so it is kept short."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy import Connection, bindparam, select

from assay.adapters.store.attempt_queries import WITHOUT_TEXTS
from assay.adapters.store.attempt_rows import attempt_from, attempt_row, call_from, call_rows
from assay.adapters.store.blobs import BlobBatch
from assay.adapters.store.engine import Database
from assay.adapters.store.prepared import DriverRow, prepared_insert
from assay.adapters.store.rules import merged
from assay.adapters.store.tables import attempts, blobs, calls, evaluations
from assay.domain.attempt import Attempt, Call
from assay.domain.benchmark import ItemId
from assay.domain.errors import StoreError
from assay.domain.run import EvaluationId

_Key = tuple[EvaluationId, ItemId, int]
_ITEMS_PER_QUERY = 500
_LOCK = (
    select(evaluations.c.id)
    .where(evaluations.c.id == bindparam("evaluation_id"))
    .with_for_update(key_share=True)
)


@dataclass(frozen=True, slots=True)
class _Rows:
    """What a batch of attempts becomes, as the driver takes it."""

    count: int
    evaluation_ids: frozenset[EvaluationId]
    attempts: list[DriverRow]
    calls: list[DriverRow]
    blobs: list[DriverRow]


class _KeyIsStoredError(Exception):
    """Undoes the transaction."""


async def write_attempts(database: Database, given: Sequence[Attempt]) -> None:
    """Keep a stored verdict, replace missing data, append the calls of every try."""
    if not given:
        return
    # In a thread: compressing lets go of the interpreter, so streams that are being timed do not wait.
    rows = await asyncio.to_thread(_encoded, given, database.location.kind, {})
    try:
        await database.write(partial(_write_new, rows=rows))
    except _KeyIsStoredError:
        await database.write(partial(_merge, given=given))


def _encoded(given: Collection[Attempt], dialect: str, stored_calls: Mapping[_Key, int]) -> _Rows:
    texts = BlobBatch()
    attempt_rows = [attempt_row(attempt, texts) for attempt in given]
    further_calls = [
        row for attempt in given for row in call_rows(attempt, stored=stored_calls.get(_key(attempt), 0))
    ]
    return _Rows(
        len(given),
        frozenset(attempt.evaluation_id for attempt in given),
        attempts=prepared_insert(attempts, dialect).converted(attempt_rows),
        calls=prepared_insert(calls, dialect).converted(further_calls),
        blobs=prepared_insert(blobs, dialect).converted(texts.rows()),
    )


def _write_new(connection: Connection, *, rows: _Rows) -> None:
    """The usual case: none of the keys is stored."""
    _lock_evaluations(connection, rows.evaluation_ids)
    if prepared_insert(attempts, connection.dialect.name).run(connection, rows.attempts) < rows.count:
        raise _KeyIsStoredError
    _write_calls_and_texts(connection, rows)


def _merge(connection: Connection, *, given: Sequence[Attempt]) -> None:
    """The other case: a batch that was stored before, or tries again what was missing."""
    _lock_evaluations(connection, frozenset(attempt.evaluation_id for attempt in given))
    stored = _stored(connection, given)
    changed: dict[_Key, Attempt] = {}
    for attempt in given:
        before = changed.get(_key(attempt), stored.get(_key(attempt)))
        after = merged(before, attempt)
        if after is not before:
            changed[_key(attempt)] = after
    dialect = connection.dialect.name
    rows = _encoded(changed.values(), dialect, {key: len(attempt.calls) for key, attempt in stored.items()})
    prepared_insert(attempts, dialect, on_conflict="replace").run(connection, rows.attempts)
    _write_calls_and_texts(connection, rows)


def _write_calls_and_texts(connection: Connection, rows: _Rows) -> None:
    prepared_insert(calls, connection.dialect.name).run(connection, rows.calls)
    prepared_insert(blobs, connection.dialect.name).run(connection, rows.blobs)


def _lock_evaluations(connection: Connection, ids: frozenset[EvaluationId]) -> None:
    """Writers of one evaluation take turns: calls get numbers without gaps, rows cannot deadlock."""
    for evaluation_id in sorted(ids):
        if connection.scalar(_LOCK, {"evaluation_id": evaluation_id}) is None:
            raise StoreError(f"no evaluation {evaluation_id!r} to store attempts of; add its run first")


def _stored(connection: Connection, given: Sequence[Attempt]) -> dict[_Key, Attempt]:
    """Those of the given attempts that exist, and their calls, without texts."""
    found: dict[_Key, Attempt] = {}
    for evaluation_id, item_ids in _portions(given):
        of_these = (attempts.c.evaluation_id == evaluation_id, attempts.c.item_id.in_(item_ids))
        made = (calls.c.evaluation_id == evaluation_id, calls.c.item_id.in_(item_ids))
        calls_by_key: defaultdict[_Key, list[Call]] = defaultdict(list)
        for row in connection.execute(select(calls).where(*made).order_by(calls.c.number)):
            calls_by_key[evaluation_id, row.item_id, row.sample].append(call_from(row))
        for row in connection.execute(WITHOUT_TEXTS.where(*of_these)):
            attempt = attempt_from(row)
            found[_key(attempt)] = replace(attempt, calls=tuple(calls_by_key[_key(attempt)]))
    return found


def _portions(given: Sequence[Attempt]) -> list[tuple[EvaluationId, list[ItemId]]]:
    """Item ids of each evaluation, as many at a time as one statement takes."""
    grouped: defaultdict[EvaluationId, list[ItemId]] = defaultdict(list)
    for attempt in given:
        grouped[attempt.evaluation_id].append(attempt.item_id)
    return [
        (evaluation_id, item_ids[start : start + _ITEMS_PER_QUERY])
        for evaluation_id, item_ids in grouped.items()
        for start in range(0, len(item_ids), _ITEMS_PER_QUERY)
    ]


def _key(attempt: Attempt) -> _Key:
    return attempt.evaluation_id, attempt.item_id, attempt.sample
