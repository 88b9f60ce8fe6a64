"""Metrics in the Prometheus text format."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client import Counter as EventCounter
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric

from assay.api.access.key_throttle import KeyThrottle
from assay.api.runs.run_pages import run_pages
from assay.domain.outcome import Outcome
from assay.domain.run import Run, RunId
from assay.engine.execution.engine import Engine
from assay.engine.fleet.liveness import is_alive
from assay.engine.loop_watchdog import LoopWatchdog
from assay.engine.stores.latencies import BOUNDS_S, Latencies, Spread

_BATCH = 500
# How long workers may still store attempts of a run that was stopped.
_LAST_WRITES = timedelta(seconds=10)


class Metrics:
    """Reads the store for each exposition, but counts the attempts of an ended run only once."""

    def __init__(self, engine: Engine, throttle: KeyThrottle, watchdog: LoopWatchdog) -> None:
        self._engine = engine
        self._throttle = throttle
        self._watchdog = watchdog
        self._counted: dict[RunId, datetime | None] = {}
        self._ended = _AttemptCounts()

    async def exposition(self) -> bytes:
        stores, queue, now = self._engine.stores, self._engine.queue, self._engine.clock.now()
        registry = CollectorRegistry()
        depth = await queue.depth()
        shards = Gauge("assay_queue_shards", "Shards by state", ["state"], registry=registry)
        shards.labels("queued").set(depth.queued)
        shards.labels("running").set(depth.running)
        runs = Gauge("assay_runs", "Runs by state", ["state"], registry=registry)
        for state, count in (await stores.runs.count_by_state()).items():
            runs.labels(state.value).set(count)
        keys = Gauge("assay_wrong_keys", "Wrong keys that this process was sent", ["done"], registry=registry)
        keys.labels("looked_up").set(self._throttle.wrong)
        keys.labels("refused").set(self._throttle.refused)
        counts = await self._attempts(now)
        registry.register(counts)
        alive = [worker for worker in await stores.fleet.workers() if is_alive(worker)]
        Gauge("assay_workers", "Workers alive", registry=registry).set(len(alive))
        slots = Gauge(
            "assay_worker_slots", "Shards that the workers alive can run at once", registry=registry
        )
        slots.set(sum(worker.slots for worker in alive))
        calls = Gauge("assay_calls_in_flight", "Calls in flight", ["endpoint"], registry=registry)
        for worker in alive:
            for endpoint, count in worker.endpoints.items():
                calls.labels(endpoint).inc(count)
        blocked = EventCounter(
            "assay_event_loop_blocked",
            "Times that something blocked the event loop of this process for more than 0.25 s",
            registry=registry,
        )
        blocked.inc(self._watchdog.blocked_count)
        return generate_latest(registry)

    async def _attempts(self, now: datetime) -> "_AttemptCounts":
        live: list[RunId] = []
        ended: list[Run] = []
        async for page in run_pages(self._engine.stores.runs):
            for run in page:
                if run.finished_at is None or now - run.finished_at < _LAST_WRITES:
                    live.append(run.id)
                elif self._counted.get(run.id) != run.finished_at:
                    ended.append(run)
        if any(run_id in self._counted for run_id in (*live, *(run.id for run in ended))):
            # A run was opened again, so its attempts have to be counted again.
            self._counted.clear()
            self._ended = _AttemptCounts()
            return await self._attempts(now)
        self._ended += await self._counts([run.id for run in ended])
        self._counted |= {run.id: run.finished_at for run in ended}
        return self._ended + await self._counts(live)

    async def _counts(self, run_ids: list[RunId]) -> "_AttemptCounts":
        stores, total = self._engine.stores, _AttemptCounts()
        for start in range(0, len(run_ids), _BATCH):
            batch = run_ids[start : start + _BATCH]
            outcomes: Counter[Outcome] = Counter()
            for counts in (await stores.attempts.outcome_counts(batch)).values():
                outcomes.update(counts)
            total += _AttemptCounts(outcomes, await stores.attempts.latencies(batch))
        return total


# Compared by identity, because a registry keeps collectors as keys of a dictionary.
@dataclass(frozen=True, slots=True, eq=False)
class _AttemptCounts:
    """Attempts by outcome and their latencies, as a Prometheus collector."""

    outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome])
    latencies: Mapping[str, Latencies] = field(default_factory=dict[str, Latencies])

    def __add__(self, other: "_AttemptCounts") -> "_AttemptCounts":
        latencies = dict(self.latencies)
        for model, found in other.latencies.items():
            latencies[model] = latencies.get(model, Latencies()) + found
        return _AttemptCounts(self.outcomes + other.outcomes, latencies)

    def collect(self) -> Iterator[Metric]:
        attempts = GaugeMetricFamily("assay_attempts", "Stored attempts by outcome", labels=["outcome"])
        for outcome in Outcome:
            attempts.add_metric([outcome.value], self.outcomes[outcome])
        yield attempts
        duration = _histogram("assay_answer_duration_seconds", "Time that answers took, by model")
        ttft = _histogram("assay_time_to_first_token_seconds", "Time to the first token, by model")
        for model, found in sorted(self.latencies.items()):
            duration.add_metric([model], _buckets(found.duration), found.duration.sum_s)
            ttft.add_metric([model], _buckets(found.ttft), found.ttft.sum_s)
        yield duration
        yield ttft


def _histogram(name: str, description: str) -> HistogramMetricFamily:
    return HistogramMetricFamily(name, description, labels=["model"])


def _buckets(spread: Spread) -> list[tuple[str, float]]:
    bounds = [*map(str, BOUNDS_S), "+Inf"]
    return list(zip(bounds, map(float, spread.counts), strict=True))
