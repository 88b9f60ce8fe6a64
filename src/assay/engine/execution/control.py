"""What a user does with a stored run: cancel, pause, resume, retry, requeue, change its pace."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from assay.domain.attempt import AttemptKey
from assay.domain.errors import IllegalTransitionError, InvalidValueError, OffloadedError
from assay.domain.event import Event, EventType
from assay.domain.run import Budget, Evaluation, EvaluationId, Run, RunId, State
from assay.domain.shard import Shard, ShardState, execution_order_of, isolated
from assay.engine.execution.lifecycle import RunLifecycle, tickets_of
from assay.engine.identity.credentials import require_own_key
from assay.engine.models.functions import function_missing, is_function
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.runs import Connections, RunStore
from assay.engine.stores.shards import ShardStore

_REQUEUED = frozenset({State.FAILED, State.CANCELED})

_Missing = Mapping[EvaluationId, frozenset[AttemptKey]]
"""The attempts of each evaluation that ended without a verdict."""


async def cancel(lifecycle: RunLifecycle, run_id: RunId) -> Run:
    """End a run for good; what is stored stays and can be shown."""
    try:
        await lifecycle.cancel_run(run_id)
    except IllegalTransitionError as error:
        run = await lifecycle.runs.get(run_id)
        raise IllegalTransitionError(
            f"run {run.id[:8]!r} cannot be canceled: it {run.state.clause}"
        ) from error
    return await lifecycle.runs.get(run_id)


async def pause(lifecycle: RunLifecycle, run_id: RunId) -> Run:
    run = await lifecycle.runs.get(run_id)
    if run.state.is_settled:
        raise IllegalTransitionError(f"run {run.id[:8]!r} cannot be paused: it {run.state.clause}")
    await lifecycle.pause_run(run.id, reason="paused by a user")
    return await lifecycle.runs.get(run.id)


async def resume(lifecycle: RunLifecycle, run_id: RunId) -> Run:
    """Continue a paused run, or one whose process died; stored attempts are not repeated."""
    run = await lifecycle.runs.get(run_id)
    if run.state.is_final:
        raise IllegalTransitionError(
            f"run {run.id[:8]!r} {run.state.clause}: retry its failed attempts with `assay retry`,"
            " or open it again with `assay requeue`"
        )
    return await _reopened(lifecycle, run, EventType.RUN_RESUMED, {})


async def retry_missing(lifecycle: RunLifecycle, run_id: RunId) -> Run:
    """Repeat only the attempts that ended without a verdict; their earlier calls are kept."""
    run = await lifecycle.runs.get(run_id)
    _require_attempts(run)
    missing = await _missing(lifecycle, run)
    if not any(missing.values()):
        raise InvalidValueError(f"run {run.id[:8]!r} has no attempt without a verdict")
    return await _reopened(lifecycle, run, EventType.RUN_REQUEUED, missing)


async def retry_attempt(lifecycle: RunLifecycle, evaluation: Evaluation, key: AttemptKey) -> Run:
    """Repeat one attempt that ended without a verdict; anything that the run has not done is done with it.

    Raises InvalidValueError for an attempt with a verdict: the better of two tries is no fair score.
    """
    run = await lifecycle.runs.get(evaluation.run_id)
    if not run.state.is_settled:
        raise IllegalTransitionError(f"run {run.id[:8]!r} {run.state.clause}: wait until it has ended")
    _require_attempts(run)
    if key not in await lifecycle.attempts.missing(evaluation.id):
        is_stored = await lifecycle.attempts.stored_among(evaluation.id, [key])
        reason = "has a verdict: it is not made again" if is_stored else "was not made yet: resume the run"
        raise InvalidValueError(f"attempt {key.sample} at {key.item_id!r} by {evaluation.model!r} {reason}")
    shards: list[Shard] = []
    for shard in await lifecycle.shards.list(run.id):
        is_own = shard.evaluation_id == evaluation.id
        shards += await asyncio.to_thread(_isolated, shard, key, evaluation, run) if is_own else [shard]
    return await _reopened(
        lifecycle, run, EventType.RUN_REQUEUED, {evaluation.id: frozenset({key})}, shards=shards
    )


async def requeue(lifecycle: RunLifecycle, run_id: RunId) -> Run:
    """Open a failed or canceled run again: what was not done, and what ended without a verdict."""
    run = await lifecycle.runs.get(run_id)
    if run.state not in _REQUEUED:
        raise IllegalTransitionError(
            f"only failed or canceled runs are requeued, this one is {run.state.value!r}"
        )
    _require_attempts(run)
    return await _reopened(lifecycle, run, EventType.RUN_REQUEUED, await _missing(lifecycle, run))


def require_not_ended(run: Run) -> None:
    if run.state.is_final:
        raise IllegalTransitionError(
            f"run {run.id[:8]!r} has ended ({run.state.value}) and cannot be changed"
        )


async def set_priority(lifecycle: RunLifecycle, run_id: RunId, priority: int) -> Run:
    """Lower runs first; takes effect on the shards that still wait."""
    run = await lifecycle.runs.set_control(run_id, priority=priority)
    evaluations = await lifecycle.evaluations_of(run.id)
    tickets = tickets_of(run, evaluations, await lifecycle.shards.list(run.id))
    await lifecycle.queue.reprioritise(tickets, priority)
    return run


async def set_budget(runs: RunStore, run_id: RunId, budget: Budget) -> Run:
    """Takes effect on each worker when it starts the next shard of the run."""
    return await runs.set_control(run_id, budget=budget)


async def set_connections(runs: RunStore, run_id: RunId, max_connections: Connections) -> Run:
    if max_connections != "default" and max_connections < 1:
        raise InvalidValueError(f"max_connections must be at least 1, not {max_connections}")
    return await runs.set_control(run_id, max_connections=max_connections)


async def repeated_attempts(
    shards: ShardStore, attempts: AttemptStore, run: Run, evaluations: Sequence[Evaluation]
) -> dict[EvaluationId, set[AttemptKey]]:
    """The stored attempts of each evaluation that are queued for a retry."""
    by_id = {one.id: one for one in evaluations}
    repeated = {one.id: set[AttemptKey]() for one in evaluations}
    for shard in await shards.list(run.id):
        if shard.retries_missing and shard.state is ShardState.OPEN:
            evaluation = by_id[shard.evaluation_id]
            missing = await attempts.missing(evaluation.id)
            own = _keys(shard, evaluation, run)
            repeated[evaluation.id].update(key for key in own if key in missing)
    return repeated


def _require_attempts(run: Run) -> None:
    if run.offloaded_at is not None:
        raise OffloadedError(run.id)


async def _missing(lifecycle: RunLifecycle, run: Run) -> _Missing:
    evaluations = await lifecycle.evaluations_of(run.id)
    return {one.id: await lifecycle.attempts.missing(one.id) for one in evaluations}


def _isolated(shard: Shard, key: AttemptKey, evaluation: Evaluation, run: Run) -> tuple[Shard, ...]:
    """The shard, with this attempt in one of its own if it is among its attempts."""
    for position, own in enumerate(_keys(shard, evaluation, run), start=shard.start):
        if own == key:
            return isolated(shard, position)
    return (shard,)


async def _reopened(
    lifecycle: RunLifecycle,
    run: Run,
    kind: EventType,
    missing: _Missing,
    *,
    shards: Sequence[Shard] | None = None,
) -> Run:
    """`shards` take the place of those that are stored, and have the same attempts."""
    require_own_key(run)
    for model in run.spec.models:
        if is_function(model) and model not in lifecycle.functions:
            raise function_missing(model)
    evaluations = await lifecycle.runs.evaluations(run.id)
    stored = await lifecycle.shards.list(run.id)
    shards = stored if shards is None else shards
    # Ordering the items of a large data set takes a while.
    wanted = await asyncio.to_thread(_reopened_shards, run, evaluations, shards, missing)
    if not wanted:
        raise InvalidValueError(f"run {run.id[:8]!r} has nothing left to do")
    # An earlier delivery of these shards must not be executed beside the new one.
    await lifecycle.withdraw_shards(run.id)
    tickets = tickets_of(run, evaluations, wanted)
    reopened = {shard.id for shard in wanted}
    others = [shard for shard in shards if shard.id not in reopened and shard not in stored]
    now = lifecycle.clock.now()
    return await lifecycle.shards.reopen(
        run.id,
        [*wanted, *others],
        at=now,
        events=[Event(run.id, kind, now)],
        within=lambda transaction: lifecycle.queue.submit_within(transaction, tickets),
    )


def _reopened_shards(
    run: Run, evaluations: Sequence[Evaluation], shards: Sequence[Shard], missing: _Missing
) -> list[Shard]:
    by_id = {one.id: one for one in evaluations}
    wanted: list[Shard] = []
    for shard in shards:
        evaluation = by_id[shard.evaluation_id]
        retried = missing.get(evaluation.id, frozenset())
        has_missing = bool(retried) and _has_any(shard, retried, evaluation, run)
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


def _has_any(shard: Shard, keys: Collection[AttemptKey], evaluation: Evaluation, run: Run) -> bool:
    return any(key in keys for key in _keys(shard, evaluation, run))


def _keys(shard: Shard, evaluation: Evaluation, run: Run) -> Iterator[AttemptKey]:
    order = execution_order_of(evaluation, run.spec)
    return shard.keys(evaluation.item_ids, order, together=run.spec.samples_together)
