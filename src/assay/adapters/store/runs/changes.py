"""Changes of stored runs and evaluations, inside a transaction of the caller."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from assay.adapters.store.database.blobs import read_blobs
from assay.adapters.store.database.codec import json_value
from assay.adapters.store.evaluations import evaluations
from assay.adapters.store.runs import rows
from assay.adapters.store.runs.tables import runs
from assay.adapters.store.secrets.store import delete_secrets
from assay.domain.benchmark import ItemId
from assay.domain.errors import OffloadedError, UnknownNameError
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, State
from assay.domain.summary import Summary


def locked_run(connection: Connection, run_id: RunId) -> Run:
    """Locks the row until the transaction ends, so that a second change sees the first."""
    statement = select(runs).where(runs.c.id == run_id).with_for_update(key_share=True)
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise UnknownNameError("run", run_id)
    return rows.run_from(row)


def change_run(
    connection: Connection, run_id: RunId, state: State, *, at: datetime, error: str | None = None
) -> Run:
    run = locked_run(connection, run_id)
    run.state.require_transition(state)
    if run.offloaded_at is not None:
        raise OffloadedError(run_id)
    started_at, finished_at = _times(run, state, at)
    run = replace(run, state=state, error=error, started_at=started_at, finished_at=finished_at)
    connection.execute(update(runs).where(runs.c.id == run_id).values(rows.run_progress(run)))
    if state.is_final and run.spec.credential is not None:
        delete_secrets(connection, run_id)
    return run


def locked_evaluation(connection: Connection, evaluation_id: EvaluationId) -> Evaluation:
    statement = select(evaluations).where(evaluations.c.id == evaluation_id).with_for_update(key_share=True)
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise UnknownNameError("evaluation", evaluation_id)
    (evaluation,) = with_items(connection, [row])
    return evaluation


def change_evaluation(
    connection: Connection,
    evaluation_id: EvaluationId,
    state: State,
    *,
    at: datetime,
    error: str | None = None,
    summary: Summary | None = None,
) -> Evaluation:
    """A summary stays until another is given."""
    stored = locked_evaluation(connection, evaluation_id)
    stored.state.require_transition(state)
    started_at, finished_at = _times(stored, state, at)
    evaluation = replace(
        stored,
        state=state,
        error=error,
        summary=summary or stored.summary,
        started_at=started_at,
        finished_at=finished_at,
    )
    update_evaluation(connection, evaluation)
    return evaluation


def update_evaluation(connection: Connection, evaluation: Evaluation) -> None:
    progress = rows.evaluation_progress(evaluation)
    connection.execute(update(evaluations).where(evaluations.c.id == evaluation.id).values(progress))


def with_items(connection: Connection, found: Sequence[Row[Any]]) -> tuple[Evaluation, ...]:
    """The evaluations of these rows, with the ids of their items."""
    contents = read_blobs(connection, {row.items_sha256 for row in found})
    items = {sha256: _item_ids(content) for sha256, content in contents.items()}
    return tuple(rows.evaluation_from(row, items[row.items_sha256]) for row in found)


def _item_ids(content: bytes) -> tuple[ItemId, ...]:
    value = json_value(content)
    if not isinstance(value, list):
        raise TypeError(f"expected a list of item ids, not {type(value).__name__}")
    return tuple(ItemId(str(item)) for item in value)


def _times(thing: Run | Evaluation, state: State, at: datetime) -> tuple[datetime | None, datetime | None]:
    """The first start stays; the end is that of a final state, and None in all others."""
    if state.is_final:
        return thing.started_at, at
    started_at = thing.started_at or at if state is State.RUNNING else thing.started_at
    return started_at, None
