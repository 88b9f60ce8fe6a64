"""Writing attempts: the path every answer of every model takes, so it is kept short."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from sqlalchemy import Connection, select

from assay.adapters.store.attempt_rows import WITHOUT_TEXTS, attempt_from, call_from
from assay.adapters.store.batch import (
    Key,
    KeyIsStoredError,
    batch_of,
    encoded,
    key_of,
    lock_evaluations,
    replace_rows,
    write_new,
)
from assay.adapters.store.engine import Database
from assay.adapters.store.rules import merged
from assay.adapters.store.tables import attempts, calls
from assay.domain.attempt import Attempt, Call
from assay.domain.benchmark import ItemId
from assay.domain.run import EvaluationId

_ITEMS_PER_QUERY = 500


async def write_attempts(database: Database, given: Sequence[Attempt]) -> None:
    """Keep a stored verdict, replace missing data, append the calls of every try."""
    if not given:
        return
    batch = await asyncio.to_thread(batch_of, given)
    if await database.write_elsewhere(batch):
        return
    # In a thread: compressing lets go of the interpreter, so streams that are being timed do not wait.
    rows = await asyncio.to_thread(encoded, batch, database.location.kind)
    try:
        await database.write(partial(write_new, rows=rows))
    except KeyIsStoredError:
        await database.write(partial(_merge, given=given))


def _merge(connection: Connection, *, given: Sequence[Attempt]) -> None:
    """The other case: a batch that was stored before, or tries again what was missing."""
    lock_evaluations(connection, frozenset(attempt.evaluation_id for attempt in given))
    stored = _stored(connection, given)
    changed: dict[Key, Attempt] = {}
    for attempt in given:
        before = changed.get(key_of(attempt), stored.get(key_of(attempt)))
        after = merged(before, attempt)
        if after is not before:
            changed[key_of(attempt)] = after
    dialect = connection.dialect.name
    stored_calls = {key: len(attempt.calls) for key, attempt in stored.items()}
    replace_rows(connection, encoded(batch_of(changed.values(), stored_calls), dialect))


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
            found[key_of(attempt)] = replace(attempt, calls=tuple(calls_by_key[key_of(attempt)]))
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
