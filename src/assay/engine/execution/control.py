"""What a user does with a live run: cancel, pause, resume, retry, requeue, change its pace."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.domain.errors import IllegalTransitionError, InvalidValueError
from assay.domain.event import Event, EventType
from assay.domain.run import Budget, Evaluation, Run, RunId, State
from assay.domain.shard import Shard, ShardState
from assay.engine.execution.finish import pause_run, stop_evaluations, withdraw_open
from assay.engine.execution.runs import Engine, tickets_of
from assay.engine.identity.vault import must_still_have_key
from assay.engine.stores.runs import Connections

_REQUEUED = frozenset({State.FAILED, State.CANCELED})


async def cancel(engine: Engine, run_id: RunId) -> Run:
    """End a run for good; what is stored stays and can be shown."""
    stores, now = engine.stores, engine.clock.now()
    await stores.runs.change_run(run_id, State.CANCELED, at=now)
    await stores.events.add_events([Event(run_id, EventType.RUN_CANCELED, now)])
    await stop_evaluations(engine, run_id, State.CANCELED)
    return await stores.runs.run(run_id)


async def pause(engine: Engine, run_id: RunId) -> Run:
    run = await engine.stores.runs.run(run_id)
    run.state.must_allow(State.PAUSED)
    await pause_run(engine, run.id, reason="paused by a user")
    return await engine.stores.runs.run(run.id)


async def resume(engine: Engine, run_id: RunId) -> Run:
    """Go on with a paused run, or with one whose process died; stored attempts are not repeated."""
    run = await engine.stores.runs.run(run_id)
    if run.state.is_final:
        raise IllegalTransitionError(
            f"run {run.id[:8]!r} has {run.state.value}: make its errors again with `assay retry`,"
            " or open it again with `assay requeue`"
        )
    return await _reopened(engine, run, EventType.RUN_RESUMED, lambda _evaluation: frozenset())


async def retry_missing(engine: Engine, run_id: RunId) -> Run:
    """Make again only the attempts that ended without a verdict; their earlier calls are kept."""
    run = await engine.stores.runs.run(run_id)
    missing = {
        one.id: await engine.stores.attempts.missing(one.id)
        for one in (await engine.stores.runs.evaluations_of([run.id]))[run.id]
    }
    if not any(missing.values()):
        raise InvalidValueError(f"run {run.id[:8]!r} has no attempt without a verdict")
    return await _reopened(engine, run, EventType.RUN_REQUEUED, lambda one: missing[one.id])


async def requeue(engine: Engine, run_id: RunId) -> Run:
    """Open a failed or canceled run again: what was not done, and what ended without a verdict."""
    run = await engine.stores.runs.run(run_id)
    if run.state not in _REQUEUED:
        raise IllegalTransitionError(
            f"only failed or canceled runs are requeued, this one is {run.state.value!r}"
        )
    missing = {
        one.id: await engine.stores.attempts.missing(one.id)
        for one in (await engine.stores.runs.evaluations_of([run.id]))[run.id]
    }
    return await _reopened(engine, run, EventType.RUN_REQUEUED, lambda one: missing[one.id])


async def set_priority(engine: Engine, run_id: RunId, priority: int) -> Run:
    """Lower runs first; takes effect on the shards that still wait."""
    stores = engine.stores
    run = await stores.runs.set_control(run_id, priority=priority)
    tickets = tickets_of(
        run, (await stores.runs.evaluations_of([run.id]))[run.id], await stores.shards.shards_of(run.id)
    )
    await engine.queue.reprioritise(tickets, priority)
    return run


async def set_budget(engine: Engine, run_id: RunId, budget: Budget) -> Run:
    """Takes effect when the run is resumed, or on the workers' next look."""
    return await engine.stores.runs.set_control(run_id, budget=budget)


async def set_connections(engine: Engine, run_id: RunId, max_connections: Connections) -> Run:
    if max_connections != "default" and max_connections < 1:
        raise InvalidValueError(f"max_connections must be at least 1, not {max_connections}")
    return await engine.stores.runs.set_control(run_id, max_connections=max_connections)


async def _reopened(
    engine: Engine, run: Run, kind: EventType, missing: Callable[[Evaluation], frozenset[object]]
) -> Run:
    must_still_have_key(run)
    stores = engine.stores
    evaluations = await stores.runs.evaluations(run.id)
    wanted = _reopened_shards(evaluations, await stores.shards.shards_of(run.id), missing)
    if not wanted:
        raise InvalidValueError(f"run {run.id[:8]!r} has nothing left to do")
    # What an earlier worker may still hold of these shards must not run beside the new delivery.
    await withdraw_open(engine, run.id)
    tickets = tickets_of(run, evaluations, wanted)
    event = Event(run.id, kind, engine.clock.now())
    return await stores.shards.reopen(
        run.id,
        wanted,
        at=engine.clock.now(),
        events=[event],
        within=lambda transaction: engine.queue.submit_within(transaction, tickets),
    )


def _reopened_shards(
    evaluations: Sequence[Evaluation],
    shards: Sequence[Shard],
    missing: Callable[[Evaluation], frozenset[object]],
) -> list[Shard]:
    by_id = {one.id: one for one in evaluations}
    wanted: list[Shard] = []
    for shard in shards:
        evaluation = by_id[shard.evaluation_id]
        retried = missing(evaluation)
        has_missing = bool(retried) and any(key in retried for key in shard.keys(evaluation.item_ids))
        if has_missing or shard.state is ShardState.OPEN:
            wanted.append(
                replace(
                    shard,
                    state=ShardState.OPEN,
                    epoch=shard.epoch + 1,
                    retries_missing=has_missing or shard.retries_missing,
                )
            )
    return wanted
