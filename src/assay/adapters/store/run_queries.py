"""Statements about runs and their evaluations, each inside a transaction of the caller."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from assay.adapters.store import item_facts, rules, run_rows, secret_queries
from assay.adapters.store.blobs import read_blobs
from assay.adapters.store.codec import json_text, json_value
from assay.adapters.store.failures import is_duplicate
from assay.adapters.store.listing import Listing
from assay.adapters.store.prepared import prepared_insert
from assay.adapters.store.run_order import ordered_by
from assay.adapters.store.stored_values import storable
from assay.adapters.store.substrings import contains
from assay.adapters.store.tables import blobs, evaluations, runs
from assay.adapters.store.texts import BlobBatch
from assay.domain.benchmark import ItemId
from assay.domain.errors import ConflictError, UnknownNameError
from assay.domain.run import Budget, Evaluation, EvaluationId, Run, RunId, State
from assay.domain.summary import Summary
from assay.engine.stores.runs import Connections, RunControl, RunFilter, RunPage

_CANDIDATES_SHOWN = 5
_UNLISTED = frozenset({"position", "items_sha256", "facts_sha256", "fingerprint", "score", "scored"})
_EVALUATIONS = Listing(
    select(*(column for column in evaluations.c if column.name not in _UNLISTED))
    .where(evaluations.c.run_id.in_(bindparam("run_ids", expanding=True)))
    .order_by(evaluations.c.position)
)


def add(connection: Connection, run: Run, added: Sequence[Evaluation]) -> None:
    batch = BlobBatch()
    rows = [
        run_rows.evaluation_values(
            evaluation,
            position=position,
            items_sha256=batch.add_bytes(json_text(evaluation.item_ids).encode()),
            facts_sha256=item_facts.added(batch, evaluation.facts),
        )
        for position, evaluation in enumerate(added)
    ]
    try:
        connection.execute(insert(runs), run_rows.run_values(run))
        if rows:
            insert_blobs = prepared_insert(blobs, connection.dialect.name)
            insert_blobs.run(connection, insert_blobs.converted(batch.rows()))
            connection.execute(insert(evaluations), rows)
    except IntegrityError as error:
        if is_duplicate(error):
            raise ConflictError(f"run {run.id!r} or one of its evaluations is stored already") from error
        raise


def one(connection: Connection, asked: str) -> Run:
    # Not LIKE: SQLite ignores case there, and the id may hold its wildcards.
    starts_so = func.substr(runs.c.id, 1, len(storable(asked))) == storable(asked)
    statement = select(runs.c.id).where(starts_so).order_by(runs.c.id).limit(_CANDIDATES_SHOWN)
    run_id = rules.only_run_id(asked, connection.scalars(statement).all())
    return run_rows.run_from(connection.execute(select(runs).where(runs.c.id == run_id)).one())


def page(connection: Connection, wanted: RunFilter) -> RunPage:
    count, listing = _pages(replace(wanted, limit=0, offset=0), connection.dialect.name)
    total = connection.scalar(count)
    found = listing.rows(connection, {"limit": wanted.limit, "offset": wanted.offset})
    return RunPage(tuple(map(run_rows.run_from, found)), total or 0)


@lru_cache(maxsize=64)
def _pages(wanted: RunFilter, dialect: str) -> tuple[Select[int], Listing]:
    """Statements for the number of runs and for any page of them."""
    conditions = _conditions(wanted, dialect)
    statement = select(runs).where(*conditions).order_by(*ordered_by(wanted.sort, dialect))
    paged = statement.limit(bindparam("limit")).offset(bindparam("offset"))
    return select(func.count()).select_from(runs).where(*conditions), Listing(paged)


def evaluations_of(connection: Connection, run_id: RunId) -> tuple[Evaluation, ...]:
    statement = select(evaluations).where(evaluations.c.run_id == run_id).order_by(evaluations.c.position)
    return _with_items(connection, connection.execute(statement).all())


def listed_evaluations(
    connection: Connection, run_ids: Sequence[RunId]
) -> dict[RunId, tuple[Evaluation, ...]]:
    """Without item ids: a page of runs could hold millions of them."""
    found: dict[RunId, list[Evaluation]] = {run_id: [] for run_id in run_ids}
    for row in _EVALUATIONS.rows(connection, {"run_ids": list(run_ids)}):
        found[row.run_id].append(run_rows.listed_evaluation(row))
    return {run_id: tuple(own) for run_id, own in found.items()}


def locked(connection: Connection, run_id: RunId) -> Run:
    """The row stays locked until the transaction ends, so that of two changes the second sees the first."""
    statement = select(runs).where(runs.c.id == run_id).with_for_update(key_share=True)
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise UnknownNameError("run", run_id)
    return run_rows.run_from(row)


def change(connection: Connection, run_id: RunId, state: State, *, at: datetime, error: str | None) -> Run:
    run = rules.changed_run(locked(connection, run_id), state, at=at, error=error)
    connection.execute(update(runs).where(runs.c.id == run_id).values(run_rows.run_progress(run)))
    if state.is_final and run.spec.credential is not None:
        secret_queries.remove(connection, run_id)
    return run


def controls(connection: Connection, run_ids: Sequence[RunId]) -> dict[RunId, RunControl]:
    found = (run_rows.run_from(row) for row in connection.execute(select(runs).where(runs.c.id.in_(run_ids))))
    return {run.id: rules.control_of(run) for run in found}


def set_control(
    connection: Connection,
    run_id: RunId,
    *,
    priority: int | None,
    max_connections: Connections | None,
    budget: Budget | None,
) -> Run:
    run = rules.controlled_run(
        locked(connection, run_id), priority=priority, max_connections=max_connections, budget=budget
    )
    connection.execute(update(runs).where(runs.c.id == run_id).values(run_rows.run_control(run)))
    return run


def active(connection: Connection, owner: str | None) -> int:
    states = [state.value for state in State if not state.is_final]
    statement = select(func.count()).where(runs.c.state.in_(states), runs.c.owner.is_not_distinct_from(owner))
    return connection.execute(statement).scalar_one()


def locked_evaluation(connection: Connection, evaluation_id: EvaluationId) -> Evaluation:
    statement = select(evaluations).where(evaluations.c.id == evaluation_id).with_for_update(key_share=True)
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise UnknownNameError("evaluation", evaluation_id)
    (evaluation,) = _with_items(connection, [row])
    return evaluation


def change_evaluation(
    connection: Connection,
    evaluation_id: EvaluationId,
    state: State,
    *,
    at: datetime,
    error: str | None,
    summary: Summary | None,
) -> Evaluation:
    stored = locked_evaluation(connection, evaluation_id)
    evaluation = rules.changed_evaluation(stored, state, at=at, error=error, summary=summary)
    progress = run_rows.evaluation_progress(evaluation)
    connection.execute(update(evaluations).where(evaluations.c.id == evaluation_id).values(progress))
    return evaluation


def set_summary(connection: Connection, evaluation_id: EvaluationId, summary: Summary) -> None:
    evaluation = replace(locked_evaluation(connection, evaluation_id), summary=summary)
    progress = run_rows.evaluation_progress(evaluation)
    connection.execute(update(evaluations).where(evaluations.c.id == evaluation_id).values(progress))


def _conditions(wanted: RunFilter, dialect: str) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.state is not None:
        conditions.append(runs.c.state == wanted.state.value)
    if wanted.states:
        conditions.append(runs.c.state.in_(sorted(state.value for state in wanted.states)))
    if wanted.owner is not None:
        conditions.append(runs.c.owner == wanted.owner)
    if wanted.model is not None:
        conditions.append(_has(contains(evaluations.c.model, wanted.model, dialect)))
    if wanted.exact_model is not None:
        conditions.append(_has(evaluations.c.model == wanted.exact_model))
    if wanted.benchmark is not None:
        conditions.append(_has(evaluations.c.benchmark == wanted.benchmark))
    if (prefix := wanted.benchmark_prefix) is not None:
        conditions.append(_has(func.substr(evaluations.c.benchmark, 1, len(prefix)) == prefix))
    return conditions


def _has(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(evaluations.c.id).where(evaluations.c.run_id == runs.c.id, condition).exists()


def _with_items(connection: Connection, rows: Sequence[Row[Any]]) -> tuple[Evaluation, ...]:
    contents = read_blobs(connection, {row.items_sha256 for row in rows})
    items = {sha256: _item_ids(content) for sha256, content in contents.items()}
    return tuple(run_rows.evaluation_from(row, items[row.items_sha256]) for row in rows)


def _item_ids(content: bytes) -> tuple[ItemId, ...]:
    value = json_value(content)
    if not isinstance(value, list):
        raise TypeError(f"expected a list of item ids, not {type(value).__name__}")
    return tuple(ItemId(str(item)) for item in value)
