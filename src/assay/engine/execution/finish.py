"""How evaluations and runs begin and end; safe when several workers get there at once."""

import contextlib
import logging
from dataclasses import replace

from assay.domain.errors import IllegalTransitionError
from assay.domain.event import Event, EventType
from assay.domain.messages import Json
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run, RunId, State
from assay.domain.summary import Summary
from assay.engine.execution.runs import Engine, tickets_of
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.results.summarise import summarise

_log = logging.getLogger(__name__)


async def open_evaluation(engine: Engine, run: Run, evaluation: Evaluation) -> None:
    """Put run and evaluation into the running state; the first worker to do so tells of it."""
    stores, now = engine.stores, engine.clock.now()
    if run.state is State.QUEUED and await _changed_run(engine, run.id, State.RUNNING):
        kind = EventType.RUN_RESUMED if run.started_at else EventType.RUN_STARTED
        await stores.events.add_events([Event(run.id, kind, now)])
    if evaluation.state is State.QUEUED and await _changed(engine, evaluation, State.RUNNING):
        kind = EventType.BENCHMARK_RESUMED if evaluation.started_at else EventType.BENCHMARK_STARTED
        await tell(engine, evaluation, kind)


async def finish_evaluation(engine: Engine, evaluation: Evaluation, planned: PlannedBenchmark) -> None:
    """Summarise what is stored; one that should have been graded, and has no verdict, fails."""
    summary = await summary_of(engine, evaluation, planned)
    if summary.score is None and not summary.outcomes.get(Outcome.ANSWERED):
        counts = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.items())
        await fail_evaluation(engine, evaluation, f"no attempt has a verdict: {counts}", summary=summary)
        return
    if await _changed(engine, evaluation, State.SUCCEEDED, summary=summary):
        data: dict[str, Json] = {
            "score": summary.score.value if summary.score else None,
            "scored": summary.scored,
            "total": summary.total,
        }
        await tell(engine, evaluation, EventType.BENCHMARK_COMPLETED, data=data)
    await _end_run(engine, evaluation.run_id)


async def fail_evaluation(
    engine: Engine, evaluation: Evaluation, error: str, *, summary: Summary | None = None
) -> None:
    """Stop only this evaluation: its other shards are taken out of the queue."""
    if await _changed(engine, evaluation, State.FAILED, error=error, summary=summary):
        _log.info("evaluation %s failed: %s", evaluation.id, error)
        await tell(engine, evaluation, EventType.BENCHMARK_FAILED, message=error)
        shards = await engine.stores.shards.shards_of(evaluation.run_id)
        run = await engine.stores.runs.run(evaluation.run_id)
        own = [shard for shard in shards if shard.evaluation_id == evaluation.id]
        await engine.queue.withdraw(tickets_of(run, [evaluation], own))
    await _end_run(engine, evaluation.run_id)


async def pause_run(engine: Engine, run_id: RunId, *, reason: str) -> None:
    """Hold a run; what is under way is cancelled, what is stored stays."""
    if not await _changed_run(engine, run_id, State.PAUSED, error=reason):
        return
    await engine.stores.events.add_events([Event(run_id, EventType.RUN_PAUSED, engine.clock.now(), reason)])
    await stop_evaluations(engine, run_id, State.PAUSED)


async def stop_evaluations(engine: Engine, run_id: RunId, state: State) -> None:
    """Of a run that was stopped; a worker may end one of them meanwhile."""
    for evaluation in (await engine.stores.runs.evaluations_of([run_id]))[run_id]:
        if not evaluation.state.is_final:
            await _changed(engine, evaluation, state)
    await withdraw_open(engine, run_id)


async def withdraw_open(engine: Engine, run_id: RunId) -> None:
    stores = engine.stores
    run, evaluations = await stores.runs.run(run_id), (await stores.runs.evaluations_of([run_id]))[run_id]
    await engine.queue.withdraw(tickets_of(run, evaluations, await stores.shards.shards_of(run_id)))


async def _end_run(engine: Engine, run_id: RunId) -> None:
    evaluations = (await engine.stores.runs.evaluations_of([run_id]))[run_id]
    if not all(one.state.is_final for one in evaluations):
        return
    failed = [one for one in evaluations if one.state is State.FAILED]
    if not failed:
        if await _changed_run(engine, run_id, State.SUCCEEDED):
            await engine.stores.events.add_events(
                [Event(run_id, EventType.RUN_COMPLETED, engine.clock.now())]
            )
        return
    reasons = "; ".join(f"{one.model} on {one.benchmark}: {one.error}" for one in failed)
    error = f"{len(failed)} of {len(evaluations)} evaluations failed: {reasons}"
    if await _changed_run(engine, run_id, State.FAILED, error=error):
        await engine.stores.events.add_events(
            [Event(run_id, EventType.RUN_FAILED, engine.clock.now(), error)]
        )


async def summary_of(engine: Engine, evaluation: Evaluation, planned: PlannedBenchmark) -> Summary:
    summary = await summarise(
        engine.stores.attempts.results(evaluation.id),
        benchmark=planned.benchmark,
        items=planned.items,
        samples=evaluation.samples,
    )
    if evaluation.fingerprint.judge is None:
        return summary
    return replace(summary, judge_tokens=await engine.stores.reviews.judge_tokens(evaluation.id))


async def _changed_run(engine: Engine, run_id: RunId, state: State, *, error: str | None = None) -> bool:
    """Whether this call changed the state; somebody else may have been first, or may have stopped the run."""
    with contextlib.suppress(IllegalTransitionError):
        await engine.stores.runs.change_run(run_id, state, at=engine.clock.now(), error=error)
        return True
    return False


async def _changed(
    engine: Engine,
    evaluation: Evaluation,
    state: State,
    *,
    error: str | None = None,
    summary: Summary | None = None,
) -> bool:
    with contextlib.suppress(IllegalTransitionError):
        await engine.stores.runs.change_evaluation(
            evaluation.id, state, at=engine.clock.now(), error=error, summary=summary
        )
        return True
    return False


async def tell(
    engine: Engine,
    evaluation: Evaluation,
    kind: EventType,
    *,
    message: str = "",
    data: dict[str, Json] | None = None,
) -> None:
    event = Event(
        run_id=evaluation.run_id,
        type=kind,
        created_at=engine.clock.now(),
        message=message,
        benchmark=evaluation.benchmark,
        model=evaluation.model,
        data=data or {},
    )
    await engine.stores.events.add_events([event])
