"""Writing attempts: the path every answer of every model takes, so it is kept short."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, partial

from sqlalchemy import Connection, bindparam, select

from assay.adapters.store.attempts.encoding import Batch, BatchInserts, EncodedBatch
from assay.adapters.store.attempts.rows import (
    HASHES,
    SEARCHED_HASHES,
    WITHOUT_TEXTS,
    attempt_from,
    attempt_row,
    call_from,
    call_rows,
)
from assay.adapters.store.attempts.tables import attempts, calls
from assay.adapters.store.database.blobs import blobs
from assay.adapters.store.database.database import Database
from assay.adapters.store.database.prepared import prepared_insert
from assay.adapters.store.database.remote_texts import (
    NOTHING_PLACED,
    REMOTE_ABOVE_BYTES,
    PlacedTexts,
    RemoteTexts,
    TextIsGoneError,
)
from assay.adapters.store.evaluations import evaluations
from assay.adapters.store.search.texts import index_texts
from assay.domain.attempt import Attempt, Call
from assay.domain.benchmark import ItemId
from assay.domain.errors import StoreError
from assay.domain.run import EvaluationId

Key = tuple[EvaluationId, ItemId, int]
_ITEMS_PER_QUERY = 500
_LOCK = (
    select(evaluations.c.id)
    .where(evaluations.c.id == bindparam("evaluation_id"))
    .with_for_update(key_share=True)
)


class _KeyIsStoredError(Exception):
    """Raised to roll the transaction back."""


async def write_batch(
    database: Database, batch: Batch, given: Sequence[Attempt], remote: RemoteTexts | None = None
) -> None:
    """Keep a stored verdict, replace missing data, append the calls of every try.

    Long texts are in the object store before the rows that name them.
    """
    long = long_texts(batch, database.location.kind) if remote is not None else None
    if remote is None or not long:
        return await _write(database, batch, given, NOTHING_PLACED)
    while True:
        try:
            return await _write(database, batch, given, await remote.place(database, long))
        except TextIsGoneError:
            continue


def long_texts(batch: Batch, dialect: str) -> Mapping[bytes, bytes]:
    """What may be stored in an object store.

    On SQLite, searching looks into the texts themselves: those that are searched stay.
    """
    return batch_inserts(dialect).long_texts(
        batch, above_bytes=REMOTE_ABOVE_BYTES, is_search_apart=dialect == "postgresql"
    )


async def _write(database: Database, batch: Batch, given: Sequence[Attempt], placed: PlacedTexts) -> None:
    # In a thread: compressing releases the interpreter lock, so streams that are being timed do not wait.
    rows = await asyncio.to_thread(_encoded, batch, database.location.kind, placed)
    try:
        await database.write(partial(_write_new, rows=rows, placed=placed))
    except _KeyIsStoredError:
        await database.write(partial(_merge, given=given, placed=placed))


def batch_of(given: Collection[Attempt], stored_calls: Mapping[Key, int] | None = None) -> Batch:
    stored = stored_calls or {}
    return Batch(
        frozenset(attempt.evaluation_id for attempt in given),
        attempts=[attempt_row(attempt) for attempt in given],
        calls=[row for attempt in given for row in call_rows(attempt, stored=stored.get(_key(attempt), 0))],
    )


@cache
def batch_inserts(dialect: str) -> BatchInserts:
    """The statements for this SQL dialect."""
    return BatchInserts(
        prepared_insert(attempts, dialect),
        prepared_insert(calls, dialect),
        prepared_insert(blobs, dialect),
        texts=HASHES,
        searched=SEARCHED_HASHES,
    )


def _encoded(batch: Batch, dialect: str, placed: PlacedTexts) -> EncodedBatch:
    return batch_inserts(dialect).encoded(batch, placed=placed.hashes, added=placed.added)


def _write_new(connection: Connection, *, rows: EncodedBatch, placed: PlacedTexts) -> None:
    """The usual case: none of the keys is stored."""
    placed.require_known(connection)
    _lock_evaluations(connection, rows.evaluation_ids)
    if prepared_insert(attempts, connection.dialect.name).run(connection, rows.attempts) < rows.count:
        raise _KeyIsStoredError
    _write_calls_and_texts(connection, rows)


def _replace_rows(connection: Connection, rows: EncodedBatch) -> None:
    prepared_insert(attempts, connection.dialect.name, on_conflict="replace").run(connection, rows.attempts)
    _write_calls_and_texts(connection, rows)


def _write_calls_and_texts(connection: Connection, rows: EncodedBatch) -> None:
    prepared_insert(calls, connection.dialect.name).run(connection, rows.calls)
    prepared_insert(blobs, connection.dialect.name).run(connection, rows.blobs)
    index_texts(connection, rows.searched)


def _lock_evaluations(connection: Connection, ids: frozenset[str]) -> None:
    """Writers of one evaluation take turns: calls get numbers without gaps, rows cannot deadlock."""
    for evaluation_id in sorted(ids):
        if connection.scalar(_LOCK, {"evaluation_id": evaluation_id}) is None:
            raise StoreError(f"no evaluation {evaluation_id!r} to store attempts of; add its run first")


def _merge(connection: Connection, *, given: Sequence[Attempt], placed: PlacedTexts) -> None:
    """The other case: a batch that was stored before, or one that retries what was missing."""
    placed.require_known(connection)
    _lock_evaluations(connection, frozenset(attempt.evaluation_id for attempt in given))
    stored = _stored(connection, given)
    changed: dict[Key, Attempt] = {}
    for attempt in given:
        before = changed.get(_key(attempt), stored.get(_key(attempt)))
        after = _merged(before, attempt)
        if after is not before:
            changed[_key(attempt)] = after
    dialect = connection.dialect.name
    stored_calls = {key: len(attempt.calls) for key, attempt in stored.items()}
    _replace_rows(connection, _encoded(batch_of(changed.values(), stored_calls), dialect, placed))


def _merged(stored: Attempt | None, attempt: Attempt) -> Attempt:
    """What to store, given both: a stored verdict is kept, missing data is replaced.

    The calls of what is replaced are kept, before those of the attempt, and so is what they cost. A call that
    is stored already came with a batch that was given twice.
    """
    if stored is None:
        return attempt
    if stored.outcome.is_final:
        return stored
    added = tuple(call for call in attempt.calls if call not in stored.calls)
    calls = stored.calls + added
    if attempt.calls and not added:
        attempt = replace(attempt, cost_usd=stored.cost_usd, judge_cost_usd=stored.judge_cost_usd)
    else:
        attempt = replace(
            attempt,
            cost_usd=_sum_of_known(stored.cost_usd, attempt.cost_usd),
            judge_cost_usd=_sum_of_known(stored.judge_cost_usd, attempt.judge_cost_usd),
        )
    return replace(
        attempt, calls=calls, tries=max(attempt.tries, sum(call.role == "model" for call in calls))
    )


def _sum_of_known(before: Decimal | None, now: Decimal | None) -> Decimal | None:
    """A try that failed before it was charged has no cost."""
    if before is None or now is None:
        return now if before is None else before
    return before + now


def _stored(connection: Connection, given: Sequence[Attempt]) -> dict[Key, Attempt]:
    """Those of the given attempts that exist, and their calls, without texts."""
    found: dict[Key, Attempt] = {}
    for evaluation_id, item_ids in _portions(given):
        of_these = (attempts.c.evaluation_id == evaluation_id, attempts.c.item_id.in_(item_ids))
        made = (calls.c.evaluation_id == evaluation_id, calls.c.item_id.in_(item_ids))
        calls_by_key: defaultdict[Key, list[Call]] = defaultdict(list)
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


def _key(attempt: Attempt) -> Key:
    return attempt.evaluation_id, attempt.item_id, attempt.sample
