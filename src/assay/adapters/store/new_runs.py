"""A run with all that comes into being with it, or the run that the same request brought before."""

from sqlalchemy import Connection, select

from assay.adapters.store import event_queries, run_queries, run_rows, secret_queries, shard_queries
from assay.adapters.store.locks import Lock, hold
from assay.adapters.store.prepared import prepared_insert
from assay.adapters.store.rules import must_be_same_request, must_be_within_limit
from assay.adapters.store.tables import idempotency_keys, runs
from assay.domain.run import Run
from assay.engine.stores.runs import NewRun, Within


def create(connection: Connection, new: NewRun, within: Within) -> Run:
    if new.idempotency_key is not None and not _took_key(connection, new, new.idempotency_key):
        return _known(connection, new, new.idempotency_key)
    _must_be_within_limit(connection, new)
    run_queries.add(connection, new.run, new.evaluations)
    secret_queries.add(connection, new)
    shard_queries.add(connection, new.shards)
    within(connection)
    event_queries.add(connection, new.events)
    return new.run


def _must_be_within_limit(connection: Connection, new: NewRun) -> None:
    if new.most_active is None:
        return
    # Otherwise two requests of one owner could count at the same time, and both be let in.
    hold(connection, Lock.ACTIVE_RUNS)
    must_be_within_limit(new, run_queries.active(connection, new.run.owner))


def _took_key(connection: Connection, new: NewRun, key: str) -> bool:
    """Of concurrent requests with one key the first takes it, and the others wait here for its end."""
    insert = prepared_insert(idempotency_keys, connection.dialect.name)
    row = new.run.owner or "", key, new.request_hash, new.run.id
    return insert.run(connection, insert.converted([row])) > 0


def _known(connection: Connection, new: NewRun, key: str) -> Run:
    columns = idempotency_keys.c
    statement = (
        select(runs, columns.request_hash)
        .join(idempotency_keys, columns.run_id == runs.c.id)
        .where(columns.owner == (new.run.owner or ""), columns.key == key)
    )
    row = connection.execute(statement).one()
    must_be_same_request(new, row.request_hash)
    return run_rows.run_from(row)
