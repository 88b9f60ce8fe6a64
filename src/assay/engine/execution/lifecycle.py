"""Starts and ends evaluations and runs; safe when several workers change the same run at once."""

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.domain.calls.messages import Json
from assay.domain.errors import IllegalTransitionError
from assay.domain.event import Event, EventType
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run, RunId, State
from assay.domain.shard import Shard, in_waves
from assay.domain.stats import plural
from assay.domain.summary import Summary
from assay.engine.execution.queue import ShardQueue, Ticket
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.ports import Clock
from assay.engine.results.asked_first import asked_first
from assay.engine.results.summarise import summarise
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.events import EventStore
from assay.engine.stores.reviews import ReviewStore
from assay.engine.stores.runs import RunStore
from assay.engine.stores.shards import ShardStore
from assay.engine.stores.steps import StepStore

_log = logging.getLogger(__name__)


def tickets_of(run: Run, evaluations: Sequence[Evaluation], shards: Sequence[Shard]) -> list[Ticket]:
    """In the order in which they are to start."""
    models = {evaluation.id: evaluation.model for evaluation in evaluations}
    if run.spec.stop is not None:
        shards = in_waves(shards, evaluations)
    priority, owner = run.spec.priority, run.owner
    return [Ticket(one.id, one.epoch, models[one.evaluation_id], priority, owner) for one in shards]


@dataclass(frozen=True, slots=True)
class RunLifecycle:
    """The stores and the queue that hold the states of runs, evaluations and shards."""

    runs: RunStore
    shards: ShardStore
    attempts: AttemptStore
    steps: StepStore
    events: EventStore
    reviews: ReviewStore
    queue: ShardQueue
    clock: Clock
    # Models that are functions of this program: no other process can execute their runs.
    functions: frozenset[str] = frozenset()

    async def open_evaluation(self, run: Run, evaluation: Evaluation) -> None:
        """Set the run and the evaluation to running; the first worker to do so emits the events."""
        if run.state is State.QUEUED and await self._changed_run(run.id, State.RUNNING):
            kind = EventType.RUN_RESUMED if run.started_at else EventType.RUN_STARTED
            await self._emit(run.id, kind)
        if evaluation.state is State.QUEUED and await self._changed(evaluation, State.RUNNING):
            kind = EventType.BENCHMARK_RESUMED if evaluation.started_at else EventType.BENCHMARK_STARTED
            await self._emit_for(evaluation, kind)

    async def finish_evaluation(self, evaluation: Evaluation, planned: PlannedBenchmark) -> None:
        """Summarise what is stored; an evaluation that should have been graded and was not, fails."""
        await self.steps.remove(evaluation.id)
        summary = await self.summary_of(evaluation, planned)
        if summary.score is None and not summary.outcomes.get(Outcome.ANSWERED):
            counts = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.items())
            await self.fail_evaluation(evaluation, f"no attempt has a verdict: {counts}", summary=summary)
            return
        if await self._changed(evaluation, State.SUCCEEDED, summary=summary):
            stopped = summary.stopped.sentence if summary.stopped else ""
            data: dict[str, Json] = {
                "score": summary.score.value if summary.score else None,
                "scored": summary.scored,
                "total": summary.total,
            }
            await self._emit_for(evaluation, EventType.BENCHMARK_COMPLETED, message=stopped, data=data)
            if stopped:
                _log.info("evaluation %s %s", evaluation.id, stopped)
                await self.shards.close(evaluation.id)
                await self._withdraw(evaluation)
        await self._end_run(evaluation.run_id)

    async def fail_evaluation(
        self, evaluation: Evaluation, error: str, *, summary: Summary | None = None
    ) -> None:
        """Stop only this evaluation: its other shards are withdrawn from the queue."""
        if await self._changed(evaluation, State.FAILED, error=error, summary=summary):
            _log.info("evaluation %s failed: %s", evaluation.id, error)
            await self._emit_for(evaluation, EventType.BENCHMARK_FAILED, message=error)
            await self._withdraw(evaluation)
        await self._end_run(evaluation.run_id)

    async def pause_run(self, run_id: RunId, *, reason: str) -> None:
        """Cancel what is under way and keep what is stored."""
        if not await self._changed_run(run_id, State.PAUSED, error=reason):
            return
        await self._emit(run_id, EventType.RUN_PAUSED, reason)
        await self.stop_evaluations(run_id, State.PAUSED)

    async def cancel_run(self, run_id: RunId) -> None:
        """Cancel what is under way and keep what is stored; raises IllegalTransitionError."""
        await self.runs.set_state(run_id, State.CANCELED, at=self.clock.now())
        await self._emit(run_id, EventType.RUN_CANCELED)
        await self.stop_evaluations(run_id, State.CANCELED)

    async def stop_evaluations(self, run_id: RunId, state: State) -> None:
        """Give the evaluations of a stopped run its state, unless a worker has ended them meanwhile."""
        for evaluation in await self.evaluations_of(run_id):
            if not evaluation.state.is_final:
                await self._changed(evaluation, state)
        await self.withdraw_shards(run_id)

    async def withdraw_shards(self, run_id: RunId) -> None:
        run, shards = await self.runs.get(run_id), await self.shards.list(run_id)
        await self.queue.withdraw(tickets_of(run, await self.evaluations_of(run_id), shards))

    async def _withdraw(self, evaluation: Evaluation) -> None:
        """Its open shards are not started, and those under way are cancelled."""
        shards = await self.shards.list(evaluation.run_id)
        run = await self.runs.get(evaluation.run_id)
        own = [shard for shard in shards if shard.evaluation_id == evaluation.id]
        await self.queue.withdraw(tickets_of(run, [evaluation], own))

    async def evaluations_of(self, run_id: RunId) -> tuple[Evaluation, ...]:
        """Without the ids of their items, which may be many."""
        return (await self.runs.evaluations_of([run_id]))[run_id]

    async def renew_summary(self, evaluation: Evaluation, planned: PlannedBenchmark) -> None:
        """Again while answers come in: another worker's must not be lost from a summary written later."""
        stored = -1
        while stored != (stored := await self._stored(evaluation)):
            await self.runs.set_summary(evaluation.id, await self.summary_of(evaluation, planned))

    async def _stored(self, evaluation: Evaluation) -> int:
        counts = await self.attempts.outcome_counts([evaluation.run_id])
        return sum(counts.get(evaluation.id, {}).values())

    async def summary_of(self, evaluation: Evaluation, planned: PlannedBenchmark) -> Summary:
        summary = await summarise(
            self.attempts.results(evaluation.id),
            benchmark=planned.benchmark,
            items=planned.items,
            samples=evaluation.samples,
            first=await asked_first(self.runs, self.attempts, evaluation, planned.item_ids),
        )
        if evaluation.fingerprint.judge is None and evaluation.fingerprint.user is None:
            return summary
        return replace(summary, judge_tokens=await self.reviews.judge_tokens(evaluation.id))

    async def _end_run(self, run_id: RunId) -> None:
        evaluations = await self.evaluations_of(run_id)
        if not all(one.state.is_final for one in evaluations):
            return
        failed = [one for one in evaluations if one.state is State.FAILED]
        if not failed:
            if await self._changed_run(run_id, State.SUCCEEDED):
                await self._emit(run_id, EventType.RUN_COMPLETED)
            return
        reasons = "; ".join(f"{one.model} on {one.benchmark}: {one.error}" for one in failed)
        error = f"{len(failed)} of {plural(len(evaluations), 'evaluation')} failed: {reasons}"
        if await self._changed_run(run_id, State.FAILED, error=error):
            await self._emit(run_id, EventType.RUN_FAILED, error)

    async def _changed_run(self, run_id: RunId, state: State, *, error: str | None = None) -> bool:
        """Whether this call changed the state: another process may have changed it before."""
        with contextlib.suppress(IllegalTransitionError):
            await self.runs.set_state(run_id, state, at=self.clock.now(), error=error)
            return True
        return False

    async def _changed(
        self,
        evaluation: Evaluation,
        state: State,
        *,
        error: str | None = None,
        summary: Summary | None = None,
    ) -> bool:
        with contextlib.suppress(IllegalTransitionError):
            await self.runs.set_evaluation_state(
                evaluation.id, state, at=self.clock.now(), error=error, summary=summary
            )
            return True
        return False

    async def _emit(self, run_id: RunId, kind: EventType, message: str = "") -> None:
        await self.events.add([Event(run_id, kind, self.clock.now(), message)])

    async def _emit_for(
        self,
        evaluation: Evaluation,
        kind: EventType,
        *,
        message: str = "",
        data: dict[str, Json] | None = None,
    ) -> None:
        event = Event(
            run_id=evaluation.run_id,
            type=kind,
            created_at=self.clock.now(),
            message=message,
            benchmark=evaluation.benchmark,
            model=evaluation.model,
            data=data or {},
        )
        await self.events.add([event])
