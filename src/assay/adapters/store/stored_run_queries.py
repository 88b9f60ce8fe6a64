"""How runs stand, in as few statements as can be, each inside a transaction of the caller."""

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from assay.adapters.store import run_queries, shard_queries, tally_queries
from assay.adapters.store.tables import runs, shards
from assay.domain.run import Run, RunId, State
from assay.domain.shard import Shard, ShardState
from assay.engine.stores.runs import RunFilter, StoredPage, StoredRun, stored_run, uncounted


def page(connection: Connection, wanted: RunFilter) -> StoredPage:
    found = run_queries.page(connection, wanted)
    return StoredPage(_stored(connection, found.runs), found.total)


def one(connection: Connection, asked: str) -> StoredRun:
    (found,) = _stored(connection, [run_queries.one(connection, asked)])
    return found


def state_counts(connection: Connection) -> dict[State, int]:
    statement = select(runs.c.state, func.count()).group_by(runs.c.state)
    found = {State(state): count for state, count in connection.execute(statement)}
    return {state: found.get(state, 0) for state in State}


def open_shards(connection: Connection, run_ids: Sequence[RunId]) -> tuple[Shard, ...]:
    is_open = shards.c.run_id.in_(run_ids), shards.c.state == ShardState.OPEN.value
    return tuple(shard_queries.shard_from(row) for row in connection.execute(select(shards).where(*is_open)))


def _stored(connection: Connection, found: Sequence[Run]) -> tuple[StoredRun, ...]:
    evaluations = run_queries.listed_evaluations(connection, [run.id for run in found])
    asked = uncounted(evaluations)
    counts = tally_queries.outcome_counts(connection, asked) if asked else {}
    return tuple(stored_run(run, evaluations[run.id], counts) for run in found)
