"""One evaluation from its first attempt to its summary."""

import asyncio
import contextlib
import logging
from dataclasses import dataclass

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Services
from assay.domain.errors import AssayError, BudgetReachedError, StoreError
from assay.domain.event import Event, EventType
from assay.domain.messages import Json
from assay.domain.run import Evaluation, RunSpec, State
from assay.domain.summary import Summary
from assay.engine.execute import Observer, Purse, execute, pending_attempts
from assay.engine.grade import DirectGrader, Grader
from assay.engine.offload import PooledGrader
from assay.engine.perform import Bench
from assay.engine.plan import PlannedBenchmark, replan
from assay.engine.ports import ModelClient
from assay.engine.progress import Progress, reporting
from assay.engine.runs import DEFAULT_CONNECTIONS, Engine
from assay.engine.summarise import summarise

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EvaluationJob:
    """What one evaluation is executed with; `observe` is told of each finished attempt."""

    engine: Engine
    spec: RunSpec
    evaluation: Evaluation
    purse: Purse
    observe: Observer

    async def execute(self) -> None:
        """Leave the evaluation succeeded or failed; it is paused where the whole run has to stop."""
        await self._open()
        client = self.engine.models.open(self.evaluation.model, base_url=self.spec.base_url)
        planned: PlannedBenchmark | None = None
        try:
            planned = replan(
                self.evaluation, self.spec, catalogue=self.engine.catalogue, library=self.engine.library
            )
            await client.check()
            await self._work(planned, client)
            await self._succeed(planned)
        except (BudgetReachedError, StoreError, asyncio.CancelledError):
            await asyncio.shield(self._pause(planned))
            raise
        except AssayError as error:
            await self._fail(error.message, planned)
        except Exception as error:  # noqa: BLE001 # a bug must fail this evaluation, not the others
            _log.exception("evaluation %s failed", self.evaluation.id)
            await self._fail(f"internal error: {type(error).__name__}: {error}", planned)
        finally:
            await client.close()

    async def _open(self) -> None:
        store, now = self.engine.store, self.engine.clock.now()
        if self.evaluation.state is State.RUNNING:
            # The process that ran it died: only going through the queue is a legal way back.
            await store.change_evaluation(self.evaluation.id, State.QUEUED, at=now)
        await store.change_evaluation(self.evaluation.id, State.RUNNING, at=now)
        is_fresh = self.evaluation.state is State.QUEUED
        await self._tell(EventType.BENCHMARK_STARTED if is_fresh else EventType.BENCHMARK_RESUMED)

    async def _work(self, planned: PlannedBenchmark, client: ModelClient) -> None:
        engine, evaluation = self.engine, self.evaluation
        connections = self.spec.max_connections or DEFAULT_CONNECTIONS
        bench = Bench(
            evaluation=evaluation,
            item_set=planned.item_set,
            client=client,
            limiter=engine.limiter(client, connections),
            grader=self._grader(planned),
            clock=engine.clock,
            policy=engine.policy,
        )
        stored = await engine.store.stored_keys(evaluation.id)
        progress = Progress(completed=len(stored), total=evaluation.total_attempts)

        def observe(one: Evaluation, attempt: Attempt) -> None:
            progress.add(attempt)
            self.observe(one, attempt)

        async with reporting(evaluation, progress, store=engine.store, clock=engine.clock):
            await execute(
                bench,
                pending_attempts(planned.items, samples=evaluation.samples, stored=stored),
                connections=connections,
                store=engine.store,
                purse=self.purse,
                observe=observe,
            )

    def _grader(self, planned: PlannedBenchmark) -> Grader:
        if planned.benchmark.card.grading == "heavy":
            return PooledGrader(planned.benchmark, self.engine.pool)
        return DirectGrader(planned.benchmark, Services())

    async def _succeed(self, planned: PlannedBenchmark) -> None:
        summary = await self._summary(planned)
        if summary.score is None:
            counts = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.items())
            await self._fail(f"no attempt has a verdict: {counts}", planned)
            return
        await self._settle(State.SUCCEEDED, summary=summary)
        await self._tell(
            EventType.BENCHMARK_COMPLETED, data={"score": summary.score.value, "scored": summary.scored}
        )

    async def _fail(self, error: str, planned: PlannedBenchmark | None) -> None:
        summary = await self._summary(planned) if planned else None
        await self._settle(State.FAILED, error=error, summary=summary)
        await self._tell(EventType.BENCHMARK_FAILED, message=error)

    async def _pause(self, planned: PlannedBenchmark | None) -> None:
        # The store may be what failed: then the evaluation is found running, and opened again on resume.
        with contextlib.suppress(StoreError):
            summary = await self._summary(planned) if planned else None
            await self._settle(State.PAUSED, summary=summary)

    async def _summary(self, planned: PlannedBenchmark) -> Summary:
        results = self.engine.store.results(self.evaluation.id)
        return await summarise(
            results, benchmark=planned.benchmark, items=planned.items, samples=self.evaluation.samples
        )

    async def _settle(
        self, state: State, *, error: str | None = None, summary: Summary | None = None
    ) -> None:
        await self.engine.store.change_evaluation(
            self.evaluation.id, state, at=self.engine.clock.now(), error=error, summary=summary
        )

    async def _tell(self, kind: EventType, *, message: str = "", data: dict[str, Json] | None = None) -> None:
        event = Event(
            run_id=self.evaluation.run_id,
            type=kind,
            created_at=self.engine.clock.now(),
            message=message,
            benchmark=self.evaluation.benchmark,
            model=self.evaluation.model,
            data=data or {},
        )
        await self.engine.store.add_events([event])
