"""Shards: the work of a run, piece by piece."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from assay.adapters.store import run_queries
from assay.adapters.store.prepared import prepared_insert
from assay.adapters.store.tables import evaluations, shards
from assay.domain.errors import ConflictError, UnknownNameError
from assay.domain.run import Run, RunId, State
from assay.domain.shard import Shard, ShardId, ShardState

_IN_ORDER = (
    select(shards)
    .join(evaluations, evaluations.c.id == shards.c.evaluation_id)
    .order_by(evaluations.c.position, shards.c.start)
)


def add(connection: Connection, given: Sequence[Shard]) -> None:
    insert = prepared_insert(shards, connection.dialect.name)
    if insert.run(connection, insert.converted([_row(shard) for shard in given])) < len(given):
        raise ConflictError(f"a shard of run {given[0].run_id!r} is stored already")


def put(connection: Connection, given: Sequence[Shard]) -> None:
    """Store these as they are, in place of what was there under their ids."""
    insert = prepared_insert(shards, connection.dialect.name, on_conflict="replace")
    insert.run(connection, insert.converted([_row(shard) for shard in given]))


def one(connection: Connection, shard_id: ShardId) -> Shard:
    row = connection.execute(select(shards).where(shards.c.id == shard_id)).one_or_none()
    if row is None:
        raise UnknownNameError("shard", shard_id)
    return shard_from(row)


def of_run(connection: Connection, run_id: RunId) -> tuple[Shard, ...]:
    return tuple(shard_from(row) for row in connection.execute(_IN_ORDER.where(shards.c.run_id == run_id)))


def reopen(connection: Connection, run_id: RunId, given: Sequence[Shard], *, at: datetime) -> Run:
    """Locks the run, then its evaluations in order of their ids, as all writers do."""
    run = run_queries.locked(connection, run_id)
    if run.state.is_settled:
        run = run_queries.change(connection, run_id, State.QUEUED, at=at, error=None)
    for evaluation_id in sorted({shard.evaluation_id for shard in given}):
        if run_queries.locked_evaluation(connection, evaluation_id).state.is_settled:
            run_queries.change_evaluation(
                connection, evaluation_id, State.QUEUED, at=at, error=None, summary=None
            )
    put(connection, given)
    return run


def finish(connection: Connection, shard_id: ShardId, epoch: int) -> bool:
    """The evaluation stays locked until the transaction ends: of two that finish at once one is the last."""
    evaluation_id = one(connection, shard_id).evaluation_id
    lock = select(evaluations.c.id).where(evaluations.c.id == evaluation_id)
    connection.execute(lock.with_for_update(key_share=True))
    this = shards.c.id == shard_id, shards.c.epoch == epoch
    connection.execute(update(shards).where(*this).values(state=ShardState.DONE.value))
    is_open = shards.c.evaluation_id == evaluation_id, shards.c.state == ShardState.OPEN.value
    return connection.execute(select(shards.c.id).where(*is_open).limit(1)).first() is None


def _row(shard: Shard) -> tuple[object, ...]:
    """In the order of the table's columns."""
    return (
        shard.id,
        shard.run_id,
        shard.evaluation_id,
        shard.start,
        shard.stop,
        shard.state.value,
        shard.epoch,
        shard.retries_missing,
    )


def shard_from(row: Row[Any]) -> Shard:
    return Shard(
        id=row.id,
        run_id=row.run_id,
        evaluation_id=row.evaluation_id,
        start=row.start,
        stop=row.stop,
        state=ShardState(row.state),
        epoch=row.epoch,
        retries_missing=row.retries_missing,
    )
