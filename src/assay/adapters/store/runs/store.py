"""Runs and their evaluations."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import astuple, replace
from datetime import datetime
from typing import Self

from pydantic import TypeAdapter
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from assay.adapters.store.attempts.kept_tallies import tallies
from assay.adapters.store.attempts.tallies import count_outcomes
from assay.adapters.store.database.blobs import delete_unused_blobs, insert_blobs, read_blobs
from assay.adapters.store.database.codec import json_text, json_value
from assay.adapters.store.database.database import Database
from assay.adapters.store.database.failures import is_duplicate
from assay.adapters.store.database.listing import Listing
from assay.adapters.store.database.locks import Lock, hold
from assay.adapters.store.database.prepared import insert_rows
from assay.adapters.store.database.remote_texts import RemoteTexts
from assay.adapters.store.database.stored_values import storable
from assay.adapters.store.database.texts import BlobBatch
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.evaluations import evaluations
from assay.adapters.store.events.store import insert_events
from assay.adapters.store.runs import changes, rows
from assay.adapters.store.runs.pages import run_page, seen_by
from assay.adapters.store.runs.shards import insert_shards
from assay.adapters.store.runs.tables import idempotency_keys, runs
from assay.adapters.store.search.texts import forget_unused
from assay.adapters.store.secrets.store import insert_secret
from assay.domain.access.visibility import Viewer
from assay.domain.errors import ConflictError, LimitReachedError, UnknownNameError
from assay.domain.event import Event
from assay.domain.run import (
    Budget,
    Description,
    Evaluation,
    EvaluationId,
    ItemFacts,
    Run,
    RunId,
    State,
)
from assay.domain.summary import Summary
from assay.engine.execution.queue import require_priority
from assay.engine.stores.runs import (
    Connections,
    NewRun,
    RunControl,
    RunFilter,
    RunPage,
    StoredPage,
    StoredRun,
    Within,
    stored_run,
    uncounted,
)

_log = logging.getLogger(__name__)
_MIN_PREFIX = 4
_CANDIDATES_SHOWN = 5
_FACTS = TypeAdapter(list[tuple[str, str, str | None, str | None]])
_UNLISTED = frozenset({"position", "items_sha256", "facts_sha256", "fingerprint", "score", "scored"})
_LISTED_EVALUATIONS = Listing(
    select(*(column for column in evaluations.c if column.name not in _UNLISTED))
    .where(evaluations.c.run_id.in_(bindparam("run_ids", expanding=True)))
    .order_by(evaluations.c.position)
)


class SqlRunStore(DatabaseStore):
    # None for the operator, who sees all runs.
    viewer: Viewer | None = None

    def __init__(self, database: Database, remote: RemoteTexts | None = None) -> None:
        super().__init__(database)
        self._remote = remote

    def seen_by(self, viewer: Viewer | None) -> Self:
        seen = copy(self)
        seen.viewer = viewer
        return seen

    @read
    def seen(self, connection: Connection, run_ids: Collection[RunId]) -> frozenset[RunId]:
        return self._seen(connection, run_ids)

    def _seen(self, connection: Connection, run_ids: Collection[RunId]) -> frozenset[RunId]:
        if self.viewer is None:
            return frozenset(run_ids)
        statement = select(runs.c.id).where(runs.c.id.in_(run_ids), *seen_by(self.viewer))
        return frozenset(map(RunId, connection.scalars(statement)))

    @write
    def create(self, connection: Connection, new: NewRun, *, within: Within) -> Run:
        if new.idempotency_key is not None and not _took_key(connection, new, new.idempotency_key):
            return _run_of_key(connection, new, new.idempotency_key)
        _require_room(connection, new)
        _insert_run(connection, new.run, new.evaluations)
        if new.sealed_key is not None:
            insert_secret(connection, new.run, new.sealed_key)
        insert_shards(connection, new.shards)
        within(connection)
        insert_events(connection, new.events)
        return new.run

    @write
    def add(
        self, connection: Connection, run: Run, evaluations: Sequence[Evaluation], events: Sequence[Event]
    ) -> None:
        _insert_run(connection, run, evaluations)
        insert_events(connection, events)

    @read
    def get(self, connection: Connection, run_id: str) -> Run:
        return _run(connection, run_id, self.viewer)

    @read
    def page(self, connection: Connection, wanted: RunFilter) -> RunPage:
        return run_page(connection, wanted, self.viewer)

    @read
    def evaluations(self, connection: Connection, run_id: RunId) -> tuple[Evaluation, ...]:
        if not self._seen(connection, [run_id]):
            return ()
        of_run = select(evaluations).where(evaluations.c.run_id == run_id).order_by(evaluations.c.position)
        return changes.with_items(connection, connection.execute(of_run).all())

    @read
    def evaluations_of(
        self, connection: Connection, run_ids: Sequence[RunId]
    ) -> Mapping[RunId, tuple[Evaluation, ...]]:
        seen = self._seen(connection, run_ids)
        return _listed_evaluations(connection, [one for one in run_ids if one in seen])

    @read
    def item_facts(self, connection: Connection, evaluation_id: EvaluationId) -> tuple[ItemFacts, ...]:
        of_evaluation = select(evaluations.c.facts_sha256).where(evaluations.c.id == evaluation_id)
        sha256 = connection.scalar(of_evaluation)
        if sha256 is None:
            return ()
        content = read_blobs(connection, [sha256])[sha256]
        return tuple(ItemFacts(*row) for row in _FACTS.validate_python(json_value(content), strict=False))

    async def set_state(self, run_id: RunId, state: State, *, at: datetime, error: str | None = None) -> Run:
        write = self.database.write_with_reserve if state.is_settled else self.database.write
        return await write(
            lambda connection: changes.change_run(connection, run_id, state, at=at, error=error)
        )

    async def set_evaluation_state(
        self,
        evaluation_id: EvaluationId,
        state: State,
        *,
        at: datetime,
        error: str | None = None,
        summary: Summary | None = None,
    ) -> Evaluation:
        write = self.database.write_with_reserve if state.is_settled else self.database.write
        return await write(
            lambda connection: changes.change_evaluation(
                connection, evaluation_id, state, at=at, error=error, summary=summary
            )
        )

    @write
    def set_summary(self, connection: Connection, evaluation_id: EvaluationId, summary: Summary) -> None:
        evaluation = changes.locked_evaluation(connection, evaluation_id)
        changes.update_evaluation(connection, replace(evaluation, summary=summary))

    @read
    def controls(self, connection: Connection, run_ids: Sequence[RunId]) -> Mapping[RunId, RunControl]:
        found = map(rows.run_from, connection.execute(select(runs).where(runs.c.id.in_(run_ids))))
        return {
            run.id: RunControl(
                run.state, max_connections=run.spec.max_connections, priority=run.spec.priority
            )
            for run in found
        }

    @write
    def set_control(
        self,
        connection: Connection,
        run_id: RunId,
        *,
        priority: int | None = None,
        max_connections: Connections | None = None,
        budget: Budget | None = None,
    ) -> Run:
        run = changes.locked_run(connection, run_id)
        if priority is not None:
            require_priority(priority)
        spec = replace(
            run.spec,
            priority=run.spec.priority if priority is None else priority,
            max_connections=_connections(run.spec.max_connections, max_connections),
            budget=run.spec.budget if budget is None else budget,
        )
        run = replace(run, spec=spec)
        connection.execute(update(runs).where(runs.c.id == run_id).values(rows.run_control(run)))
        return run

    @write
    def describe(self, connection: Connection, run_id: RunId, description: Description) -> Run:
        run = changes.locked_run(connection, run_id)
        values = rows.run_description(description)
        connection.execute(update(runs).where(runs.c.id == run_id).values(values))
        return replace(run, description=description)

    @read
    def count_active(self, connection: Connection, owner: str | None) -> int:
        return _count_active(connection, owner)

    @read
    def page_with_outcomes(self, connection: Connection, wanted: RunFilter) -> StoredPage:
        found = run_page(connection, wanted, self.viewer)
        return StoredPage(_with_outcomes(connection, found.runs), found.total)

    @read
    def get_with_outcomes(self, connection: Connection, run_id: str) -> StoredRun:
        (found,) = _with_outcomes(connection, [_run(connection, run_id, self.viewer)])
        return found

    @write
    def delete(self, connection: Connection, run_id: RunId) -> None:
        run = changes.locked_run(connection, run_id)
        if not run.state.is_settled:
            raise ConflictError(
                f"run {run.id[:8]!r} is {run.state.value} and cannot be deleted; cancel or pause it first"
            )
        connection.execute(delete(runs).where(runs.c.id == run_id))

    async def delete_unused_texts(self) -> None:
        while await self.database.write(forget_unused):
            pass
        removed = await self.database.write(delete_unused_blobs)
        if removed and self._remote is None:
            _log.warning("%d removed texts stay in the object store, which is not set here", len(removed))
        elif self._remote is not None:
            await self._remote.remove(removed)

    @read
    def count_by_state(self, connection: Connection) -> Mapping[State, int]:
        statement = select(runs.c.state, func.count()).group_by(runs.c.state)
        found = {State(state): count for state, count in connection.execute(statement)}
        return {state: found.get(state, 0) for state in State}


def _insert_run(connection: Connection, run: Run, added: Sequence[Evaluation]) -> None:
    batch = BlobBatch()
    values = [
        rows.evaluation_values(
            evaluation,
            position=position,
            items_sha256=batch.add_bytes(json_text(evaluation.item_ids).encode()),
            facts_sha256=_add_facts(batch, evaluation.facts),
        )
        for position, evaluation in enumerate(added)
    ]
    try:
        connection.execute(insert(runs), rows.run_values(run))
        if values:
            insert_blobs(connection, batch)
            connection.execute(insert(evaluations), values)
    except IntegrityError as error:
        if is_duplicate(error):
            raise ConflictError(f"run {run.id!r} or one of its evaluations is stored already") from error
        raise


def _add_facts(batch: BlobBatch, facts: Sequence[ItemFacts]) -> bytes | None:
    """The hash of a blob that the models of a run share; None for no facts."""
    if not facts:
        return None
    return batch.add_bytes(json_text([astuple(one) for one in facts]).encode())


def _took_key(connection: Connection, new: NewRun, key: str) -> bool:
    """Whether the key is new; concurrent requests with the same key wait here for the end of the first."""
    row = new.run.owner or "", key, new.request_hash, new.run.id
    return insert_rows(connection, idempotency_keys, [row]) > 0


def _run_of_key(connection: Connection, new: NewRun, key: str) -> Run:
    """The run that was created with the key; raises ConflictError where that was another request."""
    columns = idempotency_keys.c
    statement = (
        select(runs, columns.request_hash)
        .join(idempotency_keys, columns.run_id == runs.c.id)
        .where(columns.owner == (new.run.owner or ""), columns.key == key)
    )
    row = connection.execute(statement).one()
    if new.request_hash != row.request_hash:
        raise ConflictError(f"the idempotency key {key!r} was used for another request; send a new key")
    return rows.run_from(row)


def _require_room(connection: Connection, new: NewRun) -> None:
    """Raises LimitReachedError."""
    if new.most_active is None:
        return
    # Otherwise two requests of one owner could count at the same time, and both be accepted.
    hold(connection, Lock.ACTIVE_RUNS)
    active = _count_active(connection, new.run.owner)
    if active >= new.most_active:
        raise LimitReachedError(
            f"{active} of your runs are queued, running or paused, and at most {new.most_active} may be;"
            " wait until one has ended, or cancel one"
        )


def _count_active(connection: Connection, owner: str | None) -> int:
    states = [state.value for state in State if not state.is_final]
    statement = select(func.count()).where(runs.c.state.in_(states), runs.c.owner.is_not_distinct_from(owner))
    return connection.execute(statement).scalar_one()


def _run(connection: Connection, asked: str, viewer: Viewer | None) -> Run:
    # LIKE would ignore case on SQLite, and the id may contain its wildcards.
    has_prefix = func.substr(runs.c.id, 1, len(storable(asked))) == storable(asked)
    is_seen = seen_by(viewer)
    statement = select(runs.c.id).where(has_prefix, *is_seen).order_by(runs.c.id).limit(_CANDIDATES_SHOWN)
    run_id = _only_run_id(asked, connection.scalars(statement).all())
    return rows.run_from(connection.execute(select(runs).where(runs.c.id == run_id)).one())


def _only_run_id(asked: str, candidates: Iterable[str]) -> str:
    """The one id that was meant, given those that start with what was asked for."""
    found = sorted(candidates)
    if asked in found:
        return asked
    if len(asked) < _MIN_PREFIX:
        raise UnknownNameError("run", asked, remedy=f"give at least {_MIN_PREFIX} characters of its id")
    if not found:
        raise UnknownNameError("run", asked, remedy="list the runs to see their ids")
    if len(found) > 1:
        raise UnknownNameError(
            "run", asked, nearest=tuple(found), remedy="several runs start so: give more characters"
        )
    return found[0]


def _listed_evaluations(
    connection: Connection, run_ids: Sequence[RunId]
) -> dict[RunId, tuple[Evaluation, ...]]:
    """Without item ids: a page of runs could hold millions of them."""
    found: dict[RunId, list[Evaluation]] = {run_id: [] for run_id in run_ids}
    for row in _LISTED_EVALUATIONS.rows(connection, {"run_ids": list(run_ids)}):
        found[row.run_id].append(rows.listed_evaluation(row))
    return {run_id: tuple(own) for run_id, own in found.items()}


def _with_outcomes(connection: Connection, found: Sequence[Run]) -> tuple[StoredRun, ...]:
    listed = _listed_evaluations(connection, [run.id for run in found])
    to_count = uncounted(listed)
    counts = count_outcomes(connection, to_count) if to_count else {}
    if offloaded := [run.id for run in found if run.offloaded_at is not None and run.id in to_count]:
        for tally in tallies(connection, offloaded).values():
            counts |= {one: dict(of_each) for one, of_each in tally.outcome_counts.items()}
    return tuple(stored_run(run, listed[run.id], counts) for run in found)


def _connections(now: int | None, wanted: Connections | None) -> int | None:
    if wanted == "default":
        return None
    return now if wanted is None else wanted
