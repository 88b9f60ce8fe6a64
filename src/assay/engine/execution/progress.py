"""Tells listeners how far evaluations are, without slowing them down."""

import asyncio
import contextlib

from assay.domain.attempt import Attempt
from assay.domain.errors import StoreError
from assay.domain.event import Event, EventType
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId
from assay.engine.execution.pace import PaceReader
from assay.engine.ports import Clock
from assay.engine.stores import Stores

INTERVAL_S = 0.5


class ProgressReporter:
    """Stores a progress event for every evaluation that moved in the last half second.

    The figures come from the store, so that they count what all workers have done.
    """

    def __init__(self, stores: Stores, clock: Clock) -> None:
        self._stores = stores
        self._clock = clock
        self._evaluations: dict[EvaluationId, Evaluation] = {}
        self._moved: set[EvaluationId] = set()
        self._task: asyncio.Task[None] | None = None
        self._pace = PaceReader(stores, clock)

    def add(self, evaluation: Evaluation, attempt: Attempt) -> None:
        self._evaluations[evaluation.id] = evaluation
        self._moved.add(attempt.evaluation_id)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._report())

    async def flush(self, evaluation_id: EvaluationId) -> None:
        if evaluation_id in self._moved:
            self._moved.discard(evaluation_id)
            await self._tell(self._evaluations[evaluation_id])

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL_S)
            # Progress is news, not a result: a store that is away for a moment must not end the work.
            with contextlib.suppress(StoreError):
                for evaluation_id in tuple(self._moved):
                    await self.flush(evaluation_id)

    async def _tell(self, evaluation: Evaluation) -> None:
        counts = (await self._stores.attempts.outcome_counts([evaluation.run_id])).get(evaluation.id, {})
        completed = sum(counts.values())
        scored = sum(count for outcome, count in counts.items() if outcome.is_verdict)
        event = Event(
            run_id=evaluation.run_id,
            type=EventType.BENCHMARK_PROGRESS,
            created_at=self._clock.now(),
            benchmark=evaluation.benchmark,
            model=evaluation.model,
            message=f"{completed} of {evaluation.total_attempts}",
            data={
                "completed": completed,
                "total": evaluation.total_attempts,
                "current_accuracy": counts.get(Outcome.CORRECT, 0) / scored if scored else None,
                **await self._pace.figures(evaluation, completed),
            },
        )
        await self._stores.events.add_events([event])
        if completed == evaluation.total_attempts:
            self._pace.forget(evaluation.id)
