"""Executes shards in this process; what several shards of an evaluation need is made once."""

import asyncio
import contextlib
import logging
from dataclasses import dataclass, field
from itertools import count

from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import HasEnvironment, Need, Services
from assay.domain.errors import AssayError, BudgetReachedError, EndpointUnreachableError, StoreError
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, State
from assay.domain.secret import Secret
from assay.domain.shard import Shard, ShardId, ShardState
from assay.engine.datasets.lookup import stocked
from assay.engine.execution.budget import Purse
from assay.engine.execution.execute import Observer, execute
from assay.engine.execution.finish import (
    fail_evaluation,
    finish_evaluation,
    open_evaluation,
    pause_run,
    summary_of,
)
from assay.engine.execution.perform import Bench, Halt
from assay.engine.execution.progress import ProgressReporter
from assay.engine.execution.runs import Engine
from assay.engine.execution.sink import AttemptWriter
from assay.engine.execution.watch import Backlog, FreezeDetector
from assay.engine.grading.grade import DirectGrader, Grader
from assay.engine.grading.offload import PooledGrader
from assay.engine.identity.vault import own_key
from assay.engine.judging.judges import JudgeBench, opened_bench
from assay.engine.log_context import SHARD
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.planning.plan import PlannedBenchmark, replan
from assay.engine.ports import ModelClient
from assay.engine.tasks import uninterrupted

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Activity:
    """One shard in execution; `waiting` holds when each attempt under way began."""

    shard: Shard
    run: Run
    evaluation: Evaluation
    waiting: dict[AttemptKey, float] = field(default_factory=dict[AttemptKey, float])


def unobserved(_evaluation: Evaluation, _attempt: Attempt) -> None:
    return


class ShardExecutor:
    """`observe` is told of each finished attempt.

    `first_connections` are those a run has at an endpoint until somebody sets its limiter's maximum.
    """

    def __init__(
        self, engine: Engine, *, observe: Observer = unobserved, first_connections: int | None = None
    ) -> None:
        self._engine = engine
        self._first_connections = first_connections
        self._observe = observe
        self._clients: dict[tuple[str, str | None, str | None, Secret | None], ModelClient] = {}
        self._checked: set[EvaluationId] = set()
        self._reached: set[str] = set()
        self._purses: dict[RunId, Purse] = {}
        self._halts: dict[EvaluationId, Halt] = {}
        self._judge_benches: dict[RunId, JudgeBench] = {}
        self._judges_checked: set[RunId] = set()
        self._progress = ProgressReporter(engine.stores, engine.clock)
        self._writer = AttemptWriter(engine.stores)
        self._ranks = count()
        self.limiters: dict[tuple[RunId, str], AdaptiveLimiter] = {}
        self.activities: dict[ShardId, Activity] = {}
        # Of the shards that have not ended well here.
        self.epochs: dict[ShardId, int] = {}
        self.shard_ended = asyncio.Event()
        self._freeze_detector = FreezeDetector(engine.clock)

    async def execute(self, shard_id: ShardId) -> None:
        """Do every attempt of the shard that is not stored; a StoreError is left to the queue."""
        stores = self._engine.stores
        shard = await stores.shards.shard(shard_id)
        run = await stores.runs.run(shard.run_id)
        evaluation = await self._evaluation(run.id, shard.evaluation_id)
        if run.state not in _WORKED_ON or evaluation.state not in _WORKED_ON:
            return
        SHARD.set(shard)
        _log.info("shard taken: attempts %d to %d", shard.start, shard.stop)
        activity = self.activities[shard_id] = Activity(shard, run, evaluation)
        self.epochs[shard_id] = shard.epoch
        try:
            await self._execute(activity)
            self.epochs.pop(shard_id, None)
        finally:
            del self.activities[shard_id]
            if not any(one.evaluation.id == evaluation.id for one in self.activities.values()):
                await uninterrupted(self._note_partial(run, evaluation.id))
            await uninterrupted(self._drop_own_key(run))
            self.shard_ended.set()

    async def _note_partial(self, run: Run, evaluation_id: EvaluationId) -> None:
        """A stopped evaluation shows what it has: summarised by the last of its shards to end here."""
        # The store may be why it ends.
        with contextlib.suppress(AssayError):
            evaluation = await self._evaluation(run.id, evaluation_id)
            if evaluation.state not in _STOPPED:
                return
            planned = await self._planned(run, evaluation)
            await self._engine.stores.runs.set_summary(
                evaluation.id, await summary_of(self._engine, evaluation, planned)
            )

    async def _drop_own_key(self, run: Run) -> None:
        """A key of the caller's own leaves this process with the last of the shards here that use it."""
        credential = run.spec.credential
        in_use = {one.run.spec.credential for one in self.activities.values()}
        if credential is None or credential in in_use:
            return
        for client in [self._clients.pop(key) for key in list(self._clients) if key[2] == credential]:
            await client.close()

    async def _evaluation(self, run_id: RunId, evaluation_id: EvaluationId) -> Evaluation:
        # Without the ids of its items, which the plan has.
        evaluations = await self._engine.stores.runs.evaluations_of([run_id])
        return next(one for one in evaluations[run_id] if one.id == evaluation_id)

    async def _execute(self, activity: Activity) -> None:
        engine, run, evaluation = self._engine, activity.run, activity.evaluation
        try:
            await open_evaluation(engine, run, evaluation)
            planned = await self._planned(run, evaluation)
            if activity.shard.state is ShardState.OPEN:
                client = await self._client(run, evaluation)
                await self._attempt_all(activity, planned, client)
            if await engine.stores.shards.finish_shard(activity.shard.id, epoch=activity.shard.epoch):
                await self._progress.flush(evaluation.id)
                await uninterrupted(finish_evaluation(engine, evaluation, planned))
        except BudgetReachedError as error:
            # Stopping the run takes this very shard out of the queue, which cancels us: finish all the same.
            await uninterrupted(pause_run(engine, run.id, reason=error.message))
        except StoreError:
            raise
        except AssayError as error:
            await uninterrupted(self._fail(evaluation, error.message))
        except Exception as error:  # noqa: BLE001 # a bug must fail this evaluation, not the others
            _log.exception("evaluation %s failed", evaluation.id)
            message = f"internal error: {type(error).__name__}: {error}"
            await uninterrupted(self._fail(evaluation, message))

    async def _attempt_all(self, activity: Activity, planned: PlannedBenchmark, client: ModelClient) -> None:
        engine, run, evaluation, shard = self._engine, activity.run, activity.evaluation, activity.shard
        connections = run.spec.max_connections or engine.connections
        bench = Bench(
            evaluation=evaluation,
            item_set=planned.item_set,
            client=client,
            limiter=self._limiter(run.id, client, connections),
            grader=await self._grader(run, planned, connections),
            clock=engine.clock,
            purse=await self._purse(run),
            policy=engine.policy,
            waiting=activity.waiting,
            halt=self._halts.setdefault(evaluation.id, Halt()),
            rank=next(self._ranks),
            is_judged=Need.JUDGE in planned.benchmark.card.needs,
            item_hashes=planned.item_hashes,
        )

        def observe(one: Evaluation, attempt: Attempt) -> None:
            self._progress.add(one, attempt)
            self._observe(one, attempt)

        await execute(
            bench,
            Backlog(self._engine, shard, planned, self._freeze_detector).following,
            connections=min(connections, shard.stop - shard.start),
            writer=self._writer,
            observe=observe,
        )

    async def _planned(self, run: Run, evaluation: Evaluation) -> PlannedBenchmark:
        engine, catalogue = self._engine, self._engine.catalogue
        if evaluation.fingerprint.value not in engine.plans:
            names = [evaluation.benchmark]
            catalogue = await stocked(catalogue, names, store=engine.stores.datasets, shelf=engine.shelf)

        def load() -> PlannedBenchmark:
            return replan(evaluation, run.spec, catalogue=catalogue, library=engine.library)

        return await engine.plans.get(evaluation.fingerprint.value, load)

    async def _client(self, run: Run, evaluation: Evaluation) -> ModelClient:
        engine = self._engine
        own = await own_key(run, store=engine.stores.secrets, vault=engine.vault, sessions=engine.sessions)
        key = (evaluation.model, run.spec.base_url, run.spec.credential, own)
        client = self._clients.get(key)
        if client is None:
            client = self._engine.models.open(key[0], base_url=key[1], api_key=own)
            self._clients[key] = client
        if evaluation.id not in self._checked:
            await self._check(client, evaluation)
            self._checked.add(evaluation.id)
        return client

    async def _check(self, client: ModelClient, evaluation: Evaluation) -> None:
        """One that has answered before may be away for a while: the calls wait for it."""
        try:
            await client.check()
        except EndpointUnreachableError:
            if client.endpoint not in self._reached and not await self._has_answers(evaluation):
                raise
        else:
            self._reached.add(client.endpoint)

    async def _has_answers(self, evaluation: Evaluation) -> bool:
        counts = await self._engine.stores.attempts.outcome_counts([evaluation.run_id])
        return any(outcome.is_final for outcome in counts.get(evaluation.id, {}))

    async def _fail(self, evaluation: Evaluation, error: str) -> None:
        await fail_evaluation(self._engine, evaluation, error)
        # Shards of a later retry start afresh; those of now hold on to what stopped them.
        self._halts.pop(evaluation.id, None)

    def _limiter(self, run_id: RunId, client: ModelClient, connections: int) -> AdaptiveLimiter:
        key = (run_id, client.endpoint)
        if key not in self.limiters:
            maximum = min(connections, self._first_connections or connections)
            quotas = self._engine.quotas
            quota = quotas.of(client.endpoint) if quotas else None
            self.limiters[key] = AdaptiveLimiter(self._engine.clock, maximum=maximum, quota=quota)
        return self.limiters[key]

    async def _grader(self, run: Run, planned: PlannedBenchmark, connections: int) -> Grader:
        card = planned.benchmark.card
        if card.grading == "heavy":
            return PooledGrader(planned.benchmark, self._engine.pool)
        judges = await self._judges(run, connections) if Need.JUDGE in card.needs else None
        sandbox = self._engine.sandbox if Need.SANDBOX in card.needs else None
        if sandbox is not None:
            # Found out before the first call is paid for.
            await sandbox.selected()
        prepared = self._engine.prepared
        if isinstance(planned.benchmark, HasEnvironment) and prepared is not None:
            planned.benchmark.check_prepared(planned.items, prepared)
        return DirectGrader(planned.benchmark, Services(sandbox=sandbox, prepared=prepared), judges=judges)

    async def _judges(self, run: Run, connections: int) -> JudgeBench | None:
        engine, judging = self._engine, run.spec.judge
        if judging is None:
            return None
        if run.id not in self._judge_benches:
            self._judge_benches[run.id] = opened_bench(
                judging,
                engine.models,
                clock=engine.clock,
                limiter_of=lambda client: self._limiter(run.id, client, connections),
                policy=engine.policy,
            )
        bench = self._judge_benches[run.id]
        if run.id not in self._judges_checked:
            await bench.check()
            self._judges_checked.add(run.id)
        return bench

    async def _purse(self, run: Run) -> Purse:
        purse = self._purses.setdefault(run.id, Purse(run.spec.budget))
        purse.budget = run.spec.budget
        if purse.is_limited:
            await self.refresh_purse(run.id)
        return purse

    async def refresh_purse(self, run_id: RunId) -> None:
        """Take in what other workers have spent of the run's budget."""
        purse = self._purses.get(run_id)
        if purse is not None and purse.is_limited:
            spent = await self._engine.stores.attempts.spent(run_id)
            purse.usd, purse.tokens = max(purse.usd, spent.usd), max(purse.tokens, spent.tokens)

    async def close(self) -> None:
        self._freeze_detector.close()
        await self._progress.close()
        for client in self._clients.values():
            await client.close()
        for bench in self._judge_benches.values():
            await bench.close()


_WORKED_ON = frozenset({State.QUEUED, State.RUNNING})
_STOPPED = frozenset({State.PAUSED, State.CANCELED})
