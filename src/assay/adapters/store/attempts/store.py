"""Attempts, read page by page and written in batches."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeVar

import orjson
from sqlalchemy import Connection, Row, Select, Table, Text, bindparam, func, select, tuple_

from assay.adapters.store.attempts.earlier import ANSWERED_BEFORE, request_values
from assay.adapters.store.attempts.encoding import Batch
from assay.adapters.store.attempts.filters import (
    KEY,
    count_of,
    keys_found,
    keys_of_page,
    listed,
    names,
    order,
    values_in,
)
from assay.adapters.store.attempts.rows import (
    WITH_TEXTS,
    WITHOUT_TEXTS,
    attempt_from,
    attempt_with_texts,
    call_from,
)
from assay.adapters.store.attempts.tables import attempts, calls
from assay.adapters.store.attempts.tallies import AttemptTallies
from assay.adapters.store.attempts.writer_process import BatchWriter
from assay.adapters.store.attempts.writing import batch_of, long_texts, write_batch
from assay.adapters.store.database.blobs import read_blobs, text_of
from assay.adapters.store.database.database import Database
from assay.adapters.store.database.remote_texts import RemoteTexts
from assay.adapters.store.database.stored_values import storable
from assay.adapters.store.database.transactions import paged, read
from assay.domain.attempt import Attempt, AttemptKey, Call
from assay.domain.benchmark import ItemId
from assay.domain.errors import StoreAwayError, UnknownNameError
from assay.domain.outcome import FINAL, Outcome
from assay.domain.run import MAX_SAMPLES, EvaluationId
from assay.engine.stores.attempts import AttemptFilter, FoundAttempts, SampleCount

_Select = TypeVar("_Select", bound=Select[*tuple[Any, ...]])

_AWAY_S = 30.0
_AGAIN_S = 0.25
_RESULTS_PER_PAGE = 500
_ANSWERS_PER_PAGE = 1_000
_VERDICTS_PER_PAGE = 5_000
# With their texts, which may be long.
_WHOLE_PER_PAGE = 200


class SqlAttemptStore(AttemptTallies):
    """Iterators read page by page, each a short transaction: a slow consumer holds no connection."""

    def __init__(
        self, database: Database, writer: BatchWriter | None = None, remote: RemoteTexts | None = None
    ) -> None:
        """With a `writer`, another process writes large batches; without texts that are stored elsewhere."""
        super().__init__(database)
        self._writer = writer
        self._remote = remote

    async def add(self, attempts: Sequence[Attempt]) -> None:
        """Waits for a server that restarts: what the models have answered was paid for."""
        give_up_at = time.monotonic() + _AWAY_S
        while attempts:
            try:
                return await self._write(attempts)
            except StoreAwayError:
                if time.monotonic() > give_up_at:
                    raise
                await asyncio.sleep(_AGAIN_S)
        return None

    async def _write(self, given: Sequence[Attempt]) -> None:
        batch = await asyncio.to_thread(batch_of, given)
        if not await self._handed_over(batch):
            await write_batch(self.database, batch, given, self._remote)

    async def _handed_over(self, batch: Batch) -> bool:
        if self._writer is None or (
            self._remote is not None and long_texts(batch, self.database.location.kind)
        ):
            return False
        return await self._writer.write(batch)

    @read
    def keys(
        self, connection: Connection, evaluation_id: EvaluationId, *, verdicts_only: bool = False
    ) -> set[AttemptKey]:
        statement = select(*KEY).where(attempts.c.evaluation_id == evaluation_id)
        if verdicts_only:
            statement = statement.where(attempts.c.outcome.in_(names(FINAL)))
        return {AttemptKey(item_id, sample) for item_id, sample in connection.execute(statement)}

    def results(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        return paged(partial(self._results_page, evaluation_id), key=lambda one: one.key)

    @read
    def _results_page(
        self, connection: Connection, evaluation_id: EvaluationId, after: AttemptKey | None
    ) -> list[Attempt]:
        statement = _page(WITHOUT_TEXTS, evaluation_id, after, limit=_RESULTS_PER_PAGE)
        return [attempt_from(row) for row in connection.execute(statement)]

    def verdicts(self, evaluation_id: EvaluationId) -> AsyncIterator[tuple[AttemptKey, float]]:
        return paged(partial(self._verdicts_page, evaluation_id), key=lambda one: one[0])

    @read
    def _verdicts_page(
        self, connection: Connection, evaluation_id: EvaluationId, after: AttemptKey | None
    ) -> list[tuple[AttemptKey, float]]:
        scored = select(*KEY, attempts.c.score).where(attempts.c.score.is_not(None))
        rows = connection.execute(_page(scored, evaluation_id, after, limit=_VERDICTS_PER_PAGE))
        return [(AttemptKey(item_id, sample), score) for item_id, sample, score in rows]

    @read
    def page(
        self, connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter
    ) -> tuple[Attempt, ...]:
        sorted_by = order(wanted, connection.dialect.name)
        # Only keys are sorted and skipped; whole rows are wide, and read for this page alone.
        chosen = keys_of_page(connection, evaluation_id, wanted).subquery()
        is_chosen = (attempts.c.item_id == chosen.c.item_id) & (attempts.c.sample == chosen.c.sample)
        statement = WITH_TEXTS.join(chosen, is_chosen).where(attempts.c.evaluation_id == evaluation_id)
        return _with_texts(connection, connection.execute(statement.order_by(*sorted_by)).all())

    @read
    def found(
        self, connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter
    ) -> FoundAttempts:
        found = keys_found(connection, evaluation_id, wanted)
        # SQLite finds rows by their items in the key; by pairs alone it would read the whole evaluation.
        of_page = attempts.c.item_id.in_({key.item_id for key in found.keys}), tuple_(*KEY).in_(found.keys)
        statement = WITH_TEXTS.where(attempts.c.evaluation_id == evaluation_id, *of_page)
        by_key = {AttemptKey(row.item_id, row.sample): row for row in connection.execute(statement)}
        page = _with_texts(connection, [by_key[key] for key in found.keys])
        return FoundAttempts(page, found.total, is_total_exact=found.is_total_exact)

    @read
    def samples_of(
        self, connection: Connection, evaluation_id: EvaluationId, items: Collection[ItemId]
    ) -> Mapping[ItemId, SampleCount]:
        right = func.count().filter(attempts.c.outcome == Outcome.CORRECT.value)
        statement = select(attempts.c.item_id, func.count(), right).where(
            attempts.c.evaluation_id == evaluation_id,
            attempts.c.item_id.in_(listed(map(storable, items), connection.dialect.name)),
        )
        rows = connection.execute(statement.group_by(attempts.c.item_id))
        return {item_id: SampleCount(made, correct) for item_id, made, correct in rows}

    def answers(self, evaluation_id: EvaluationId) -> AsyncIterator[tuple[AttemptKey, str]]:
        return paged(partial(self._answers_page, evaluation_id), key=lambda one: one[0])

    @read
    def _answers_page(
        self, connection: Connection, evaluation_id: EvaluationId, after: AttemptKey | None
    ) -> list[tuple[AttemptKey, str]]:
        columns = select(*KEY, attempts.c.answer, attempts.c.answer_sha256)
        answered = columns.where(attempts.c.outcome.in_(names(FINAL)))
        rows = connection.execute(_page(answered, evaluation_id, after, limit=_ANSWERS_PER_PAGE)).all()
        texts = read_blobs(connection, [row.answer_sha256 for row in rows])
        return [
            (
                AttemptKey(row.item_id, row.sample),
                text_of(texts[row.answer_sha256]) if row.answer is None else row.answer,
            )
            for row in rows
        ]

    def whole(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        return paged(partial(self._whole_page, evaluation_id), key=lambda one: one.key)

    @read
    def _whole_page(
        self, connection: Connection, evaluation_id: EvaluationId, after: AttemptKey | None
    ) -> list[Attempt]:
        rows = connection.execute(_page(WITH_TEXTS, evaluation_id, after, limit=_WHOLE_PER_PAGE)).all()
        if not rows:
            return []
        texts = read_blobs(connection, [sha256 for row in rows for sha256 in _hashes(row)])
        ends = (AttemptKey(row.item_id, row.sample) for row in (rows[0], rows[-1]))
        made = _calls_between(connection, evaluation_id, *ends)
        return [attempt_with_texts(row, texts, tuple(made[row.item_id, row.sample])) for row in rows]

    @read
    def count(self, connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter) -> int:
        return count_of(connection, evaluation_id, wanted)

    @read
    def get(self, connection: Connection, evaluation_id: EvaluationId, key: AttemptKey) -> Attempt:
        row = connection.execute(_with_key(WITH_TEXTS, attempts, evaluation_id, key)).one_or_none()
        if row is None:
            raise _unknown(evaluation_id, key)
        made = _with_key(select(calls), calls, evaluation_id, key).order_by(calls.c.number)
        texts = read_blobs(connection, _hashes(row))
        return attempt_with_texts(row, texts, tuple(map(call_from, connection.execute(made))))

    @read
    def stored_among(
        self,
        connection: Connection,
        evaluation_id: EvaluationId,
        keys: Sequence[AttemptKey],
        *,
        verdicts_only: bool = False,
    ) -> set[AttemptKey]:
        if not keys:
            return set()
        samples = [key.sample for key in keys]
        wanted = {
            "evaluation_id": evaluation_id,
            "items": orjson.dumps(sorted({storable(key.item_id) for key in keys})).decode(),
            # A shard has one or two of the up to fifty samples of its items.
            "first": min(samples),
            "last": max(samples),
        }
        statement = _stored_among_statement(connection.dialect.name)
        if verdicts_only:
            statement = statement.where(attempts.c.outcome.in_(names(FINAL)))
        return {AttemptKey(*key) for key in connection.execute(statement, wanted)} & set(keys)

    @read
    def answered_before(
        self,
        connection: Connection,
        evaluation_id: EvaluationId,
        key: AttemptKey,
        *,
        prompt: str,
        item_hash: str | None,
    ) -> Attempt | None:
        values = request_values(evaluation_id, key, prompt=prompt, item_hash=item_hash)
        row = connection.execute(ANSWERED_BEFORE, values).one_or_none()
        return None if row is None else attempt_with_texts(row, read_blobs(connection, _hashes(row)))

    @read
    def scores(
        self, connection: Connection, evaluation_id: EvaluationId, item_ids: Sequence[ItemId]
    ) -> Mapping[ItemId, Sequence[float | None]]:
        wanted = {
            "evaluation_id": evaluation_id,
            "items": orjson.dumps(sorted(map(storable, item_ids))).decode(),
            "first": 0,
            "last": MAX_SAMPLES,
        }
        statement = _stored_among_statement(connection.dialect.name).add_columns(attempts.c.score)
        found: dict[ItemId, list[float | None]] = defaultdict(list)
        for item_id, _sample, score in connection.execute(statement.order_by(attempts.c.sample), wanted):
            found[item_id].append(score)
        return found

    async def close(self) -> None:
        if self._writer is not None:
            await self._writer.close()


def require_attempt(connection: Connection, evaluation_id: EvaluationId, key: AttemptKey) -> None:
    """Raises UnknownNameError."""
    if connection.execute(_with_key(select(*KEY), attempts, evaluation_id, key)).first() is None:
        raise _unknown(evaluation_id, key)


def _with_texts(connection: Connection, rows: Sequence[Row[Any]]) -> tuple[Attempt, ...]:
    texts = read_blobs(connection, [sha256 for row in rows for sha256 in _hashes(row)])
    return tuple(attempt_with_texts(row, texts) for row in rows)


def _unknown(evaluation_id: EvaluationId, key: AttemptKey) -> UnknownNameError:
    name = f"{evaluation_id}/{key.item_id}/{key.sample}"
    return UnknownNameError("attempt", name, remedy="it has not been made, or the id is wrong")


def _page(columns: _Select, evaluation_id: EvaluationId, after: AttemptKey | None, *, limit: int) -> _Select:
    """The next attempts in key order."""
    statement = columns.where(attempts.c.evaluation_id == evaluation_id).order_by(*KEY).limit(limit)
    return statement if after is None else statement.where(tuple_(*KEY) > tuple_(*after))


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


@cache
def _stored_among_statement(dialect: str) -> Select[Any, Any]:
    return select(*KEY).where(
        attempts.c.evaluation_id == bindparam("evaluation_id"),
        attempts.c.sample.between(bindparam("first"), bindparam("last")),
        attempts.c.item_id.in_(select(values_in(bindparam("items", type_=Text), dialect))),
    )


def _with_key(columns: _Select, table: Table, evaluation_id: EvaluationId, key: AttemptKey) -> _Select:
    return columns.where(
        table.c.evaluation_id == evaluation_id, table.c.item_id == key.item_id, table.c.sample == key.sample
    )


def _hashes(row: Row[Any]) -> tuple[bytes | None, ...]:
    return row.answer_sha256, row.prompt_sha256, row.reasoning_sha256, row.test_code_sha256
