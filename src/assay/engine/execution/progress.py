"""Emits progress events of evaluations, without slowing their attempts down."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.domain.calls.messages import Json
from assay.domain.errors import StoreError
from assay.domain.event import Event, EventType
from assay.domain.outcome import Outcome, scored_count
from assay.domain.run import Evaluation, EvaluationId
from assay.domain.summary import Tokens
from assay.engine.models.traffic import Traffic
from assay.engine.ports import Clock
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.events import EventStore

INTERVAL_S = 0.5
# Counting reads every attempt of a run: it is left alone for so many times as long as that took.
_PAUSE_PER_READING = 20
_LONGEST_INTERVAL_S = 10.0
# Every so many intervals it is told again that attempts wait to repeat a call: nothing else moves then.
_INTERVALS_OF_WAITING = 10
# Tokens are summed no more often than this, because the query reads every attempt.
_READ_EVERY_S = 2.0
# Rates are averaged over this time, so that they follow changes without jumping.
_WINDOW_S = 20.0


class ProgressReporter:
    """Stores a progress event for every evaluation that moved, twice a second; for large runs less often.

    The figures come from the store, so that they count what all workers have done; those of the calls are of
    this worker alone.
    """

    def __init__(
        self,
        attempts: AttemptStore,
        events: EventStore,
        clock: Clock,
        *,
        still_waiting: Callable[[Evaluation, Traffic], None],
    ) -> None:
        self._attempts = attempts
        self._events = events
        self._clock = clock
        self._still_waiting = still_waiting
        self._known: dict[EvaluationId, tuple[Evaluation, Traffic]] = {}
        self._moved: dict[EvaluationId, tuple[Evaluation, Traffic]] = {}
        self._readings: dict[EvaluationId, deque[_Reading]] = {}
        self._emitting = asyncio.Lock()
        self._took_s = 0.0
        self._task: asyncio.Task[None] | None = None

    def add(self, evaluation: Evaluation, traffic: Traffic) -> None:
        self._known[evaluation.id] = self._moved[evaluation.id] = evaluation, traffic
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._report())

    async def flush(self, evaluation_id: EvaluationId) -> None:
        async with self._emitting:
            moved = self._moved.pop(evaluation_id, None)
            if moved is not None:
                began_s = self._clock.monotonic()
                await self._emit(*moved)
                self._took_s = self._clock.monotonic() - began_s

    async def end(self, evaluation_id: EvaluationId) -> None:
        """Report what is left to report, and forget the evaluation."""
        self._known.pop(evaluation_id, None)
        with contextlib.suppress(StoreError):
            await self.flush(evaluation_id)
        self._readings.pop(evaluation_id, None)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _report(self) -> None:
        intervals = 0
        while self._moved or any(traffic.waiting for _, traffic in self._known.values()):
            await asyncio.sleep(interval_s(self._took_s))
            intervals += 1
            if intervals % _INTERVALS_OF_WAITING == 0:
                self._repeat_waiting()
            # Progress is news, not a result: a store that is away for a moment must not end the work.
            with contextlib.suppress(StoreError):
                for evaluation_id in tuple(self._moved):
                    await self.flush(evaluation_id)

    def _repeat_waiting(self) -> None:
        for evaluation, traffic in self._known.values():
            if traffic.waiting:
                self._moved[evaluation.id] = evaluation, traffic
                self._still_waiting(evaluation, traffic)

    async def _emit(self, evaluation: Evaluation, traffic: Traffic) -> None:
        counts = (await self._attempts.outcome_counts([evaluation.run_id])).get(evaluation.id, {})
        completed = sum(counts.values())
        scored = scored_count(counts)
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
                **await self._rates(evaluation, completed),
                **traffic.to_json(),
            },
        )
        await self._events.add([event])

    async def _rates(self, evaluation: Evaluation, completed: int) -> Mapping[str, Json]:
        """Tokens and requests per second, and the seconds left; null until they are known."""
        readings = self._readings.setdefault(evaluation.id, deque())
        now_s = self._clock.monotonic()
        if not readings or now_s - readings[-1].at_s >= _READ_EVERY_S:
            used = (await self._attempts.tokens_used([evaluation.run_id])).get(evaluation.id)
            readings.append(_Reading(now_s, completed, used or Tokens()))
            while now_s - readings[0].at_s > _WINDOW_S and len(readings) > 2:  # noqa: PLR2004
                readings.popleft()
        first, last = readings[0], readings[-1]
        passed_s = last.at_s - first.at_s
        requests_per_s = (last.completed - first.completed) / passed_s if passed_s > 0 else None
        left = evaluation.total_attempts - completed
        return {
            "input_tokens": last.tokens.input,
            "output_tokens": last.tokens.output,
            "cost_usd": _listed_cost_usd(evaluation, last.tokens),
            "requests_per_s": requests_per_s,
            "tokens_per_s": (last.tokens.output - first.tokens.output) / passed_s if passed_s > 0 else None,
            "eta_seconds": round(left / requests_per_s) if requests_per_s else None,
        }


def interval_s(took_s: float) -> float:
    """The time between two reports, where the last one took so long."""
    return max(INTERVAL_S, min(_LONGEST_INTERVAL_S, _PAUSE_PER_READING * took_s))


@dataclass(frozen=True, slots=True)
class _Reading:
    at_s: float
    completed: int
    tokens: Tokens


def _listed_cost_usd(evaluation: Evaluation, tokens: Tokens) -> float | None:
    """What the tokens cost at the listed price; what providers report is summed up at the end."""
    if evaluation.price is None:
        return None
    return float(evaluation.price.cost_usd(input_tokens=tokens.input, output_tokens=tokens.output))
