"""The overview for operators: workers, queue and estimates."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.api.caches import ApiCaches
from assay.api.dependencies import ApiServices
from assay.api.schemas.overview import (
    BusyMinute,
    Overview,
    QueueDepth,
    RunOutlook,
    StalledAttempt,
    WorkerState,
)
from assay.domain.run import FINAL_STATES, RunId, State
from assay.domain.shard import Shard, ShardId
from assay.engine.fleet.liveness import is_alive
from assay.engine.fleet.minutes import MINUTE, current_minute, filled
from assay.engine.fleet.queue_estimate import (
    UNKNOWN,
    Fleet,
    Outlook,
    PaceMeter,
    Rate,
    WaitingShard,
    measured_rate,
    outlooks,
)
from assay.engine.stores.fleet import Worker
from assay.engine.stores.runs import RunFilter, StoredRun

_SHOWN = 25
_MAX_ACTIVE = 500
_STALLED_SHOWN = 50
_STALLED_AFTER_S = 30.0
_ACTIVE = frozenset({State.QUEUED, State.RUNNING})


async def run_outlooks(services: ApiServices, pace: PaceMeter) -> dict[RunId, Outlook]:
    """When each queued and running run is expected to start and to finish."""
    return (await _queue_state(services, pace)).outlooks(services.clock.now())


async def _queue_state(services: ApiServices, pace: PaceMeter) -> "_QueueState":
    stores = services.stores
    # Whoever looks: a run waits for those that its owner does not see, too.
    runs = stores.runs.seen_by(None)
    workers = await stores.fleet.workers()
    active = (await runs.page_with_outcomes(RunFilter(states=_ACTIVE, limit=_MAX_ACTIVE))).runs
    ended = (await runs.page_with_outcomes(RunFilter(states=FINAL_STATES, limit=_SHOWN))).runs
    rates = _rates(services, pace, active)
    return _QueueState(
        workers=workers,
        active=active,
        ended=ended,
        shards={shard.id: shard for shard in await stores.shards.list_open([one.run.id for one in active])},
        waiting=await services.engine.queue.waiting(),
        rates=rates,
        fleet=_fleet(services, [one for one in workers if is_alive(one)], rates, ended),
    )


async def overview(services: ApiServices, caches: ApiCaches, *, minutes: int) -> Overview:
    engine, stores, now = services.engine, services.stores, services.clock.now()
    depth = await engine.queue.depth()
    queue = await _queue_state(services, caches.pace)
    found, rates = queue.outlooks(now), queue.rates
    stalled = _stalled(services)
    listed = {one.run.id for one in (*queue.active, *queue.ended)}
    seen = await stores.runs.seen(listed | {RunId(one.run_id) for one in stalled})

    def shown(state: State) -> tuple[RunOutlook, ...]:
        runs = [one for one in queue.active if one.run.state is state and one.run.id in seen]
        runs.sort(
            key=lambda one: (found.get(one.run.id, UNKNOWN).position or _MAX_ACTIVE, one.run.created_at)
        )
        return tuple(
            RunOutlook.of(one, found.get(one.run.id, UNKNOWN), rates.get(one.run.id)) for one in runs[:_SHOWN]
        )

    return Overview(
        workers=tuple(
            WorkerState.of(
                one,
                runs=_run_count(one, queue.shards),
                item_concurrency=services.worker_config.item_concurrency,
                now=now,
                is_alive=is_alive(one),
            )
            for one in queue.workers
        ),
        queue=QueueDepth(queued=depth.queued, running=depth.running),
        queue_counts=await stores.runs.count_by_state(),
        queued_runs=shown(State.QUEUED),
        running_runs=shown(State.RUNNING),
        completed_runs=tuple(RunOutlook.of(one) for one in queue.ended if one.run.id in seen),
        token_stats=await caches.tokens.get(),
        timeseries=await _timeseries(services, minutes),
        worker_config=services.worker_config,
        stalled=tuple(one for one in stalled if one.run_id in seen),
    )


async def _timeseries(services: ApiServices, minutes: int) -> tuple[BusyMinute, ...]:
    stores, now = services.stores, services.clock.now()
    noted = await stores.fleet.minutes_since(now - minutes * MINUTE)
    shown = filled([*noted, await current_minute(stores.fleet, stores.runs, now)], now=now, minutes=minutes)
    return tuple(map(BusyMinute.of, shown))


def _rates(services: ApiServices, pace: PaceMeter, active: Sequence[StoredRun]) -> dict[RunId, Rate]:
    """Over the last minutes if this process has seen progress of the run, otherwise since its start."""
    clock = services.clock
    completed = {one.run.id: sum(map(one.completed, one.evaluations)) for one in active}
    pace.note(clock.monotonic(), completed)
    rates: dict[RunId, Rate] = {}
    for one in active:
        run = one.run
        elapsed_s = (clock.now() - run.started_at).total_seconds() if run.started_at else 0.0
        rate = pace.rate(run.id) or measured_rate(completed[run.id], elapsed_s)
        if rate is not None and run.state is State.RUNNING:
            rates[run.id] = rate
    return rates


def _fleet(
    services: ApiServices, alive: Sequence[Worker], rates: Mapping[RunId, Rate], ended: Sequence[StoredRun]
) -> Fleet:
    """The rate of all running runs together; if none is running, that of earlier runs."""
    if not alive or services.maintenance.is_on:
        return Fleet(None)
    free = sum(max(0, worker.slots - len(worker.running)) for worker in alive if not worker.is_draining)
    if rates:
        first, *others = rates.values()
        return Fleet(sum(others, first), free)
    return Fleet(_past_rate(ended), free)


def _past_rate(ended: Sequence[StoredRun]) -> Rate | None:
    seconds = attempts = 0.0
    for one in ended:
        run = one.run
        if run.started_at and run.finished_at:
            seconds += (run.finished_at - run.started_at).total_seconds()
            attempts += sum(map(one.completed, one.evaluations))
    return measured_rate(int(attempts), seconds)


@dataclass(frozen=True, slots=True)
class _QueueState:
    """Everything that the estimates are computed from."""

    workers: Sequence[Worker]
    active: Sequence[StoredRun]
    ended: Sequence[StoredRun]
    shards: Mapping[ShardId, Shard]
    waiting: Sequence[ShardId]
    rates: Mapping[RunId, Rate]
    fleet: Fleet

    def outlooks(self, now: datetime) -> dict[RunId, Outlook]:
        left = self._left_per_attempt()
        waiting = [
            WaitingShard(shard.run_id, (shard.stop - shard.start) * left[shard.run_id])
            for shard in map(self.shards.get, self.waiting)
            if shard is not None
        ]
        queued = set(self.waiting)
        started: dict[RunId, float] = defaultdict(float)
        for shard in self.shards.values():
            if shard.id not in queued:
                started[shard.run_id] += (shard.stop - shard.start) * left[shard.run_id]
        for one in self.active:
            if one.run.state is State.RUNNING:
                started.setdefault(one.run.id, float(_left(one)))
        found = outlooks(waiting, started, fleet=self.fleet, own_rates=self.rates)
        return found | dict.fromkeys(self._overdue(found, now), UNKNOWN)

    def _overdue(self, found: Mapping[RunId, Outlook], now: datetime) -> Iterator[RunId]:
        """Runs without a measured rate that should have ended by now at the rate of the others."""
        for run in (one.run for one in self.active if one.run.id not in self.rates):
            finish = found.get(run.id, UNKNOWN).finish
            if finish and run.started_at and (now - run.started_at).total_seconds() > finish.high_s:
                yield run.id

    def _left_per_attempt(self) -> dict[RunId, float]:
        """The share of the attempts in a run's open shards that are still missing."""
        sizes: Counter[RunId] = Counter()
        for shard in self.shards.values():
            sizes[shard.run_id] += shard.stop - shard.start
        return {
            one.run.id: min(1.0, _left(one) / sizes[one.run.id]) for one in self.active if sizes[one.run.id]
        }


def _left(one: StoredRun) -> int:
    return sum(evaluation.total_attempts - one.completed(evaluation) for evaluation in one.evaluations)


def _run_count(worker: Worker, shards: Mapping[ShardId, Shard]) -> int:
    return len({shards[shard_id].run_id for shard_id in worker.running if shard_id in shards})


def _stalled(services: ApiServices) -> tuple[StalledAttempt, ...]:
    if services.executor is None:
        return ()
    now_s = services.clock.monotonic()
    found = [
        StalledAttempt(
            run_id=activity.run.id,
            evaluation_id=activity.evaluation.id,
            model=activity.evaluation.model,
            benchmark=activity.evaluation.benchmark,
            item_id=key.item_id,
            sample=key.sample,
            idle_s=now_s - began_s,
        )
        for activity in services.executor.activities.values()
        for key, began_s in activity.waiting.items()
        if now_s - began_s >= _STALLED_AFTER_S
    ]
    return tuple(sorted(found, key=lambda one: -one.idle_s)[:_STALLED_SHOWN])
