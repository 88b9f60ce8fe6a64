"""Executes a run, and goes on with it after any kind of stop."""

import asyncio
import contextlib

from assay.domain.attempt import Attempt
from assay.domain.errors import BudgetReachedError, StoreError
from assay.domain.event import Event, EventType
from assay.domain.run import Evaluation, Run, RunId, State
from assay.engine.evaluate import EvaluationJob
from assay.engine.execute import Observer, Purse
from assay.engine.runs import Engine
from assay.engine.tasks import task_group


def _unobserved(_evaluation: Evaluation, _attempt: Attempt) -> None:
    return


async def execute_run(engine: Engine, run_id: RunId, *, observe: Observer = _unobserved) -> Run:
    """Work on a run until it is finished or paused; stored attempts are not repeated.

    The caller makes sure that nobody else executes the same run.
    """
    run = await _opened(engine, run_id)
    try:
        await _execute_evaluations(engine, run, observe)
    except (BudgetReachedError, StoreError) as error:
        with contextlib.suppress(StoreError):
            await _ended(engine, run, State.PAUSED, EventType.RUN_PAUSED, error.message)
        if isinstance(error, StoreError):
            raise
        return await engine.store.run(run.id)
    except asyncio.CancelledError:
        interrupted = _ended(engine, run, State.PAUSED, EventType.RUN_PAUSED, "interrupted")
        await asyncio.shield(interrupted)
        raise
    evaluations = await engine.store.evaluations(run.id)
    failed = [one for one in evaluations if one.state is State.FAILED]
    if not failed:
        return await _ended(engine, run, State.SUCCEEDED, EventType.RUN_COMPLETED)
    reasons = "; ".join(f"{one.model} on {one.benchmark}: {one.error}" for one in failed)
    error = f"{len(failed)} of {len(evaluations)} evaluations failed: {reasons}"
    return await _ended(engine, run, State.FAILED, EventType.RUN_FAILED, error)


async def _opened(engine: Engine, run_id: RunId) -> Run:
    store, now = engine.store, engine.clock.now()
    run = await store.run(run_id)
    if run.state is State.RUNNING:
        # Its process died: only going through the queue is a legal way back.
        await store.change_run(run.id, State.QUEUED, at=now)
    opened = await store.change_run(run.id, State.RUNNING, at=now)
    kind = EventType.RUN_STARTED if run.state is State.QUEUED else EventType.RUN_RESUMED
    await store.add_events([Event(run.id, kind, now)])
    return opened


async def _execute_evaluations(engine: Engine, run: Run, observe: Observer) -> None:
    evaluations = await engine.store.evaluations(run.id)
    purse = Purse(run.spec.budget)
    if purse.is_limited:
        for evaluation in evaluations:
            async for attempt in engine.store.results(evaluation.id):
                purse.spend(attempt)
    async with task_group() as group:
        for evaluation in evaluations:
            if evaluation.state is not State.SUCCEEDED:
                group.create_task(EvaluationJob(engine, run.spec, evaluation, purse, observe).execute())


async def _ended(engine: Engine, run: Run, state: State, kind: EventType, error: str | None = None) -> Run:
    now = engine.clock.now()
    ended = await engine.store.change_run(run.id, state, at=now, error=error)
    await engine.store.add_events([Event(run.id, kind, now, error or "")])
    return ended
