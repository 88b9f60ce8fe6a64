"""Figures for Prometheus."""

from collections import Counter
from datetime import datetime, timedelta

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from assay.api.liveness import is_alive
from assay.api.stored import all_runs, count_runs
from assay.domain.outcome import Outcome
from assay.domain.run import Run, RunId, State
from assay.engine.ports import RunFilter
from assay.engine.runs import Engine

_BATCH = 500
# How long workers may still store attempts of a run that was stopped.
_LAST_WRITES = timedelta(seconds=10)


class Metrics:
    """Reads the store for each exposition, except that the attempts of an ended run are counted once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._counted: dict[RunId, datetime | None] = {}
        self._ended: Counter[Outcome] = Counter()

    async def exposition(self) -> bytes:
        store, queue, now = self._engine.store, self._engine.queue, self._engine.clock.now()
        registry = CollectorRegistry()
        depth = await queue.depth()
        shards = Gauge("assay_queue_shards", "Shards by state", ["state"], registry=registry)
        shards.labels("queued").set(depth.queued)
        shards.labels("running").set(depth.running)
        runs = Gauge("assay_runs", "Runs by state", ["state"], registry=registry)
        for state in State:
            runs.labels(state.value).set(await count_runs(store, state))
        attempts = Gauge("assay_attempts", "Stored attempts by outcome", ["outcome"], registry=registry)
        counts = await self._attempts(now)
        for outcome in Outcome:
            attempts.labels(outcome.value).set(counts[outcome])
        alive = [worker for worker in await store.workers() if is_alive(worker, now)]
        Gauge("assay_workers", "Workers alive", registry=registry).set(len(alive))
        slots = Gauge(
            "assay_worker_slots", "Shards that the workers alive can run at once", registry=registry
        )
        slots.set(sum(worker.slots for worker in alive))
        return generate_latest(registry)

    async def _attempts(self, now: datetime) -> Counter[Outcome]:
        live: list[RunId] = []
        ended: list[Run] = []
        async for run in all_runs(self._engine.store, RunFilter()):
            if run.finished_at is None or now - run.finished_at < _LAST_WRITES:
                live.append(run.id)
            elif self._counted.get(run.id) != run.finished_at:
                ended.append(run)
        if any(run_id in self._counted for run_id in (*live, *(run.id for run in ended))):
            # A run was opened again: what was counted of it is no longer so.
            self._counted.clear()
            self._ended.clear()
            return await self._attempts(now)
        self._ended += await self._counts([run.id for run in ended])
        self._counted |= {run.id: run.finished_at for run in ended}
        return self._ended + await self._counts(live)

    async def _counts(self, run_ids: list[RunId]) -> Counter[Outcome]:
        total: Counter[Outcome] = Counter()
        for start in range(0, len(run_ids), _BATCH):
            found = await self._engine.store.outcome_counts(run_ids[start : start + _BATCH])
            for counts in found.values():
                total.update(counts)
        return total
