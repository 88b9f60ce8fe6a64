"""A batch of attempts on its way into the database, in this process or in another."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from assay.adapters.store.attempt_rows import attempt_row, call_rows, hashed_texts
from assay.adapters.store.blobs import BlobBatch
from assay.adapters.store.prepared import DriverRow, prepared_insert
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


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows in the order of the tables' columns, with texts where their hashes will stand."""

    evaluation_ids: frozenset[EvaluationId]
    attempts: list[tuple[object, ...]]
    calls: list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class EncodedBatch:
    """The same as the driver takes it, and the texts apart."""

    count: int
    evaluation_ids: frozenset[EvaluationId]
    attempts: list[DriverRow]
    calls: list[DriverRow]
    blobs: list[DriverRow]


class KeyIsStoredError(Exception):
    """Undoes the transaction."""


def batch_of(given: Collection[Attempt], stored_calls: Mapping[Key, int] | None = None) -> Batch:
    stored = stored_calls or {}
    return Batch(
        frozenset(attempt.evaluation_id for attempt in given),
        attempts=[attempt_row(attempt) for attempt in given],
        calls=[row for attempt in given for row in call_rows(attempt, stored=stored.get(key_of(attempt), 0))],
    )


def encoded(batch: Batch, dialect: str) -> EncodedBatch:
    texts = BlobBatch()
    rows = [hashed_texts(row, texts) for row in batch.attempts]
    return EncodedBatch(
        len(rows),
        batch.evaluation_ids,
        attempts=prepared_insert(attempts, dialect).converted(rows),
        calls=prepared_insert(calls, dialect).converted(batch.calls),
        blobs=prepared_insert(blobs, dialect).converted(texts.rows()),
    )


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


def lock_evaluations(connection: Connection, ids: frozenset[EvaluationId]) -> None:
    """Writers of one evaluation take turns: calls get numbers without gaps, rows cannot deadlock."""
    for evaluation_id in sorted(ids):
        if connection.scalar(_LOCK, {"evaluation_id": evaluation_id}) is None:
            raise StoreError(f"no evaluation {evaluation_id!r} to store attempts of; add its run first")


def key_of(attempt: Attempt) -> Key:
    return attempt.evaluation_id, attempt.item_id, attempt.sample
