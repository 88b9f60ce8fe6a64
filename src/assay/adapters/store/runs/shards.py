"""Shards: the parts of a run that workers execute."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from assay.adapters.store.database.prepared import insert_rows
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.evaluations import evaluations
from assay.adapters.store.events.store import insert_events
from assay.adapters.store.runs import changes
from assay.adapters.store.runs.tables import shards
from assay.domain.errors import ConflictError, UnknownNameError
from assay.domain.event import Event
from assay.domain.run import EvaluationId, Run, RunId, State
from assay.domain.shard import Shard, ShardId, ShardState
from assay.engine.stores.runs import Within

_IN_ORDER = (
    select(shards)
    .join(evaluations, evaluations.c.id == shards.c.evaluation_id)
    .order_by(evaluations.c.position, shards.c.start)
)


class SqlShardStore(DatabaseStore):
    @read
    def get(self, connection: Connection, shard_id: ShardId) -> Shard:
        return _shard(connection, shard_id)

    @read
    def list(self, connection: Connection, run_id: RunId) -> tuple[Shard, ...]:
        rows = connection.execute(_IN_ORDER.where(shards.c.run_id == run_id))
        return tuple(_shard_from(row) for row in rows)

    @write
    def reopen(
        self,
        connection: Connection,
        run_id: RunId,
        shards: Sequence[Shard],
        *,
        at: datetime,
        events: Sequence[Event],
        within: Within,
    ) -> Run:
        """Locks the run, then its evaluations in order of their ids, as all writers do."""
        run = changes.locked_run(connection, run_id)
        if run.state.is_settled:
            run = changes.change_run(connection, run_id, State.QUEUED, at=at)
        for evaluation_id in sorted({shard.evaluation_id for shard in shards}):
            if changes.locked_evaluation(connection, evaluation_id).state.is_settled:
                changes.change_evaluation(connection, evaluation_id, State.QUEUED, at=at)
        _replace(connection, shards)
        within(connection)
        insert_events(connection, events)
        return run

    @write
    def finish(self, connection: Connection, shard_id: ShardId, *, epoch: int) -> bool:
        """Locks the evaluation until the transaction ends: one of two concurrent callers is the last."""
        evaluation_id = _shard(connection, shard_id).evaluation_id
        lock = select(evaluations.c.id).where(evaluations.c.id == evaluation_id)
        connection.execute(lock.with_for_update(key_share=True))
        this = shards.c.id == shard_id, shards.c.epoch == epoch
        connection.execute(update(shards).where(*this).values(state=ShardState.DONE.value))
        is_open = shards.c.evaluation_id == evaluation_id, shards.c.state == ShardState.OPEN.value
        return connection.execute(select(shards.c.id).where(*is_open).limit(1)).first() is None

    @write
    def close(self, connection: Connection, evaluation_id: EvaluationId) -> None:
        own = shards.c.evaluation_id == evaluation_id
        connection.execute(update(shards).where(own).values(state=ShardState.DONE.value))

    @read
    def list_open(self, connection: Connection, run_ids: Sequence[RunId]) -> tuple[Shard, ...]:
        is_open = shards.c.run_id.in_(run_ids), shards.c.state == ShardState.OPEN.value
        return tuple(_shard_from(row) for row in connection.execute(select(shards).where(*is_open)))


def insert_shards(connection: Connection, given: Sequence[Shard]) -> None:
    if insert_rows(connection, shards, [_row(shard) for shard in given]) < len(given):
        raise ConflictError(f"a shard of run {given[0].run_id!r} is stored already")


def _replace(connection: Connection, given: Sequence[Shard]) -> None:
    """Store these as they are, in place of what was stored under their ids."""
    insert_rows(connection, shards, [_row(shard) for shard in given], on_conflict="replace")


def _shard(connection: Connection, shard_id: ShardId) -> Shard:
    row = connection.execute(select(shards).where(shards.c.id == shard_id)).one_or_none()
    if row is None:
        raise UnknownNameError("shard", shard_id)
    return _shard_from(row)


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


def _shard_from(row: Row[Any]) -> Shard:
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
