"""A batch of attempts on its way into the database."""

from collections.abc import Collection, Mapping
from functools import cache

from sqlalchemy import Connection, bindparam, select

from assay.adapters.store.attempt_rows import HASHES, attempt_row, call_rows
from assay.adapters.store.encoding import Batch, BatchInserts, EncodedBatch
from assay.adapters.store.prepared import prepared_insert
from assay.adapters.store.tables import attempts, blobs, calls, evaluations
from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.errors import StoreError
from assay.domain.run import EvaluationId

Key = tuple[EvaluationId, ItemId, int]
_LOCK = (
    select(evaluations.c.id)
    .where(evaluations.c.id == bindparam("evaluation_id"))
    .with_for_update(key_share=True)
)


class KeyIsStoredError(Exception):
    """Undoes the transaction."""


def batch_of(given: Collection[Attempt], stored_calls: Mapping[Key, int] | None = None) -> Batch:
    stored = stored_calls or {}
    return Batch(
        frozenset(attempt.evaluation_id for attempt in given),
        attempts=[attempt_row(attempt) for attempt in given],
        calls=[row for attempt in given for row in call_rows(attempt, stored=stored.get(key_of(attempt), 0))],
    )


@cache
def batch_inserts(dialect: str) -> BatchInserts:
    """For the database of this name."""
    return BatchInserts(
        prepared_insert(attempts, dialect),
        prepared_insert(calls, dialect),
        prepared_insert(blobs, dialect),
        texts=HASHES,
    )


def encoded(batch: Batch, dialect: str) -> EncodedBatch:
    return batch_inserts(dialect).encoded(batch)


def write_new(connection: Connection, *, rows: EncodedBatch) -> None:
    """The usual case: none of the keys is stored."""
    lock_evaluations(connection, rows.evaluation_ids)
    if prepared_insert(attempts, connection.dialect.name).run(connection, rows.attempts) < rows.count:
        raise KeyIsStoredError
    _write_calls_and_texts(connection, rows)


def replace_rows(connection: Connection, rows: EncodedBatch) -> None:
    prepared_insert(attempts, connection.dialect.name, on_conflict="replace").run(connection, rows.attempts)
    _write_calls_and_texts(connection, rows)


def _write_calls_and_texts(connection: Connection, rows: EncodedBatch) -> None:
    prepared_insert(calls, connection.dialect.name).run(connection, rows.calls)
    prepared_insert(blobs, connection.dialect.name).run(connection, rows.blobs)


def lock_evaluations(connection: Connection, ids: frozenset[str]) -> None:
    """Writers of one evaluation take turns: calls get numbers without gaps, rows cannot deadlock."""
    for evaluation_id in sorted(ids):
        if connection.scalar(_LOCK, {"evaluation_id": evaluation_id}) is None:
            raise StoreError(f"no evaluation {evaluation_id!r} to store attempts of; add its run first")


def key_of(attempt: Attempt) -> Key:
    return attempt.evaluation_id, attempt.item_id, attempt.sample
