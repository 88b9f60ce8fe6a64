"""Executes shards in this process: every attempt that is not stored, several at once."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from assay.domain.agent import HostedAgent
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import Need
from assay.domain.errors import SETUP_ERRORS, AssayError, BudgetReachedError, StoreError
from assay.domain.run import NEEDS_SETUP, Evaluation, EvaluationId, Run, RunId, State
from assay.domain.shard import Shard, ShardId, ShardState, execution_order_of
from assay.engine.execution.attempt import AttemptContext, perform
from assay.engine.execution.engine import Engine
from assay.engine.execution.progress import ProgressReporter
from assay.engine.execution.remaining_attempts import FreezeDetector, RemainingAttempts
from assay.engine.execution.reuse import answers_for
from assay.engine.execution.run_context import RunContext, RunParts
from assay.engine.execution.sink import AttemptWriter
from assay.engine.execution.stopping import Stopping
from assay.engine.log_context import SHARD
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.traffic import Traffic
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.results.race import Race
from assay.engine.tasks import task_group, uninterrupted

_log = logging.getLogger(__name__)
# More attempts than calls are under way: those that are graded or wait for a retry hold back no call.
_ATTEMPTS_PER_CONNECTION = 2


class Observer:
    """Called on the event loop: its methods must be quick and must not raise."""

    def attempt_ended(self, evaluation: Evaluation, attempt: Attempt) -> None:
        """After each finished attempt."""

    def waiting_to_retry(self, evaluation: Evaluation, traffic: Traffic) -> None:
        """Before an attempt waits to repeat a call, and every few seconds while any does."""

    def race_advanced(self, race: Race) -> None:
        """After each look at what a run with a stopping rule has settled."""


@dataclass(slots=True)
class Activity:
    """One shard in execution; `waiting` holds when each attempt under way began."""

    shard: Shard
    run: Run
    evaluation: Evaluation
    waiting: dict[AttemptKey, float] = field(default_factory=dict[AttemptKey, float])


class ShardExecutor:
    """Executes the shards that the queue delivers; `observer` is told of each attempt and each retry."""

    def __init__(
        self,
        engine: Engine,
        *,
        observer: Observer | None = None,
        first_connections: Callable[[RunId], int] | None = None,
    ) -> None:
        stores = engine.stores
        self._engine = engine
        self._lifecycle = engine.lifecycle
        self._observer = observer or Observer()
        self._parts = RunParts(
            runs=stores.runs,
            attempts=stores.attempts,
            events=stores.events,
            models=engine.models,
            credentials=engine.credentials,
            limits=engine.limits,
            clock=engine.clock,
            first_connections=first_connections,
        )
        self._contexts: dict[RunId, RunContext] = {}
        self._progress = ProgressReporter(
            stores.attempts, stores.events, engine.clock, still_waiting=self._observer.waiting_to_retry
        )
        self._writer = AttemptWriter(stores.attempts)
        self._freezes = FreezeDetector(engine.clock)
        self._ranks = count()
        self.activities: dict[ShardId, Activity] = {}
        # The epochs of shards that failed here, until the queue retries them or gives them up.
        self.epochs: dict[ShardId, int] = {}
        self.shard_ended = asyncio.Event()

    @property
    def limiters(self) -> Mapping[tuple[RunId, str], AdaptiveLimiter]:
        """By run and endpoint. The heartbeat reads them from a thread of its own, hence the copies."""
        return {
            (run_id, endpoint): limiter
            for run_id, context in list(self._contexts.items())
            for endpoint, limiter in list(context.limiters.items())
        }

    async def execute(self, shard_id: ShardId) -> None:
        """Do every attempt of the shard that is not stored; a StoreError is left to the queue."""
        shard = await self._lifecycle.shards.get(shard_id)
        SHARD.set(shard)
        run = await self._lifecycle.runs.get(shard.run_id)
        evaluation = await self._evaluation(run.id, shard.evaluation_id)
        self.epochs.pop(shard_id, None)
        if run.state not in _EXECUTED or evaluation.state not in _EXECUTED:
            return
        _log.info("shard taken: attempts %d to %d", shard.start, shard.stop)
        activity = self.activities[shard_id] = Activity(shard, run, evaluation)
        if run.id not in self._contexts:
            self._contexts[run.id] = RunContext(
                run.id, self._parts, Stopping(self._lifecycle, self._observer.race_advanced)
            )
        try:
            await self._execute(activity, self._contexts[run.id])
        except Exception:
            self.epochs[shard_id] = shard.epoch
            raise
        finally:
            del self.activities[shard_id]
            await uninterrupted(self._release(run, evaluation.id))
            self.shard_ended.set()

    async def refresh_budget(self, run_id: RunId) -> None:
        """Count what other workers have spent of the run's budget."""
        context = self._contexts.get(run_id)
        if context is not None:
            await context.refresh_budget()

    async def close(self) -> None:
        self._freezes.close()
        await self._progress.close()
        for context in self._contexts.values():
            await context.close()

    async def _execute(self, activity: Activity, context: RunContext) -> None:
        run, evaluation, shard = activity.run, activity.evaluation, activity.shard
        try:
            await self._lifecycle.open_evaluation(run, evaluation)
            planned = await self._engine.planner.replan(run.spec, evaluation)
            if not await context.stopping.is_open(run, evaluation, planned):
                return
            if shard.state is ShardState.OPEN:
                await self._attempt_all(activity, context, planned)
            if await self._lifecycle.shards.finish(shard.id, epoch=shard.epoch):
                await self._progress.flush(evaluation.id)
                await uninterrupted(self._lifecycle.finish_evaluation(evaluation, planned))
            await context.stopping.look(run, planned)
        except BudgetReachedError as error:
            # Pausing the run withdraws this very shard, which cancels this task: finish all the same.
            await uninterrupted(self._lifecycle.pause_run(run.id, reason=error.message))
        except StoreError:
            raise
        except AssayError as error:
            reason = NEEDS_SETUP if isinstance(error, SETUP_ERRORS) else ""
            await uninterrupted(self._fail(evaluation, context, reason + error.message))
        except Exception as error:  # noqa: BLE001 # a bug must fail this evaluation, not the others
            _log.exception("evaluation %s failed", evaluation.id)
            message = f"internal error: {type(error).__name__}: {error}"
            await uninterrupted(self._fail(evaluation, context, message))

    async def _attempt_all(self, activity: Activity, context: RunContext, planned: PlannedBenchmark) -> None:
        """Work through the shard, with as many calls at once as the limiter allows.

        Answers are stored even if an attempt then fails the shard, or the task is cancelled.
        """
        shard, evaluation = activity.shard, activity.evaluation
        connections = activity.run.spec.max_connections or self._engine.limits.connections
        shared = await self._attempt_context(activity, context, planned, connections)
        await context.warm_ups.ensure(shared, activity.run.spec.warmup)
        order = await asyncio.to_thread(execution_order_of, evaluation, activity.run.spec)
        remaining = RemainingAttempts(
            shard,
            planned.by_id,
            shard.keys(planned.item_ids, order, together=activity.run.spec.samples_together),
            attempts=self._lifecycle.attempts,
            detector=self._freezes,
        )
        async with self._writer.open() as sink:

            async def work() -> None:
                while (following := await remaining.next()) is not None:
                    attempt = await perform(shared, *following)
                    await sink.put(attempt)
                    self._progress.add(evaluation, shared.traffic)
                    self._observer.attempt_ended(evaluation, attempt)

            async with task_group() as group:
                for _ in range(min(_ATTEMPTS_PER_CONNECTION * connections, shard.stop - shard.start)):
                    group.create_task(work())

    async def _attempt_context(
        self, activity: Activity, context: RunContext, planned: PlannedBenchmark, connections: int
    ) -> AttemptContext:
        engine, benchmark = self._engine, planned.benchmark
        run, evaluation = activity.run, activity.evaluation
        client = await context.client(run, evaluation, benchmark.card.needs)
        is_judged = Need.JUDGE in benchmark.card.needs
        judges = await context.judges(run.spec.judge, connections) if is_judged else None
        has_user = Need.USER_MODEL in benchmark.card.needs
        needs = benchmark.card.needs
        user_model = await context.judges(run.spec.user_model, connections, needs) if has_user else None
        await engine.grading.check(benchmark, planned.items)
        await context.set_budget(run.spec.budget)
        hosted = None
        if planned.agent is not None:
            hosted = HostedAgent(planned.agent, evaluation.model, evaluation.price)
        traffic = context.traffic(evaluation.id, client.endpoint, connections)

        def note_retry() -> None:
            self._progress.add(evaluation, traffic)
            self._observer.waiting_to_retry(evaluation, traffic)

        return AttemptContext(
            evaluation=evaluation,
            item_set=planned.item_set,
            client=client,
            traffic=traffic,
            grader=engine.grading.grader(benchmark, judges=judges),
            clock=engine.clock,
            budget=context.budget,
            steps=engine.stores.steps,
            services=replace(engine.grading.services(benchmark), agent=hosted),
            user_model=user_model,
            retries=engine.limits.retries.limited_to(evaluation.generation.retries),
            waiting=activity.waiting,
            halt=context.halt(evaluation.id),
            rank=next(self._ranks),
            is_judged=is_judged,
            needs=benchmark.card.needs,
            note_retry=note_retry,
            item_hashes=planned.item_hashes,
            earlier=await answers_for(run.spec, evaluation, engine.stores.runs, self._lifecycle.attempts),
        )

    async def _fail(self, evaluation: Evaluation, context: RunContext, error: str) -> None:
        await self._lifecycle.fail_evaluation(evaluation, error)
        # Shards of a later retry start afresh; those under way keep the halt that stops them.
        context.halts.pop(evaluation.id, None)

    async def _release(self, run: Run, evaluation_id: EvaluationId) -> None:
        """Let go of what no other shard here needs."""
        if not any(one.evaluation.id == evaluation_id for one in self.activities.values()):
            await self._progress.end(evaluation_id)
            await self._summarise_if_stopped(run, evaluation_id)
        if not any(one.run.id == run.id for one in self.activities.values()):
            context = self._contexts.pop(run.id, None)
            if context is not None:
                await context.close()

    async def _summarise_if_stopped(self, run: Run, evaluation_id: EvaluationId) -> None:
        """Summarise what an evaluation has that was ended early, when the last of its shards ends here."""
        # The store may be the reason why it ends.
        with contextlib.suppress(AssayError):
            evaluation = await self._evaluation(run.id, evaluation_id)
            is_decided = run.spec.stop is not None and evaluation.state is State.SUCCEEDED
            if evaluation.state in _STOPPED or is_decided:
                planned = await self._engine.planner.replan(run.spec, evaluation)
                await self._lifecycle.renew_summary(evaluation, planned)

    async def _evaluation(self, run_id: RunId, evaluation_id: EvaluationId) -> Evaluation:
        evaluations = await self._lifecycle.evaluations_of(run_id)
        return next(one for one in evaluations if one.id == evaluation_id)


_EXECUTED = frozenset({State.QUEUED, State.RUNNING})
_STOPPED = frozenset({State.PAUSED, State.CANCELED})
