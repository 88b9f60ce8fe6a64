"""Tells listeners how far an evaluation is, without slowing it down."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from assay.domain.attempt import Attempt
from assay.domain.event import Event, EventType
from assay.domain.run import Evaluation
from assay.engine.ports import Clock, RunStore

INTERVAL_S = 0.5


@dataclass(slots=True)
class Progress:
    """Counts of one evaluation, stored attempts of earlier executions included."""

    completed: int
    total: int
    scored: int = 0
    score_sum: float = 0.0

    def add(self, attempt: Attempt) -> None:
        self.completed += 1
        if attempt.score is not None:
            self.scored += 1
            self.score_sum += attempt.score

    @property
    def accuracy(self) -> float | None:
        return self.score_sum / self.scored if self.scored else None


@asynccontextmanager
async def reporting(
    evaluation: Evaluation, progress: Progress, *, store: RunStore, clock: Clock
) -> AsyncGenerator[None]:
    """Store a progress event every half second in which something moved, and one at the end."""

    async def report() -> None:
        told = -1
        while True:
            await clock.sleep(INTERVAL_S)
            if progress.completed != told:
                told = progress.completed
                await store.add_events([progress_event(evaluation, progress, clock)])

    reporter = asyncio.create_task(report())
    try:
        yield
    finally:
        reporter.cancel()
        await asyncio.gather(reporter, return_exceptions=True)
    await store.add_events([progress_event(evaluation, progress, clock)])


def progress_event(evaluation: Evaluation, progress: Progress, clock: Clock) -> Event:
    return Event(
        run_id=evaluation.run_id,
        type=EventType.BENCHMARK_PROGRESS,
        created_at=clock.now(),
        benchmark=evaluation.benchmark,
        model=evaluation.model,
        message=f"{progress.completed} of {progress.total}",
        data={
            "completed": progress.completed,
            "total": progress.total,
            "current_accuracy": progress.accuracy,
        },
    )
