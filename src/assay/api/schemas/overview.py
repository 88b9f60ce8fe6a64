"""The current state of the installation, for operators."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Self

from pydantic import BaseModel, Field

from assay.api.schemas.evaluations import Progress
from assay.api.schemas.fields import FreeText, Moment, Schema, Seconds, StoredMessage
from assay.api.schemas.runs import overall_score_of, run_progress
from assay.domain.run import State
from assay.engine.fleet import queue_estimate
from assay.engine.stores import fleet
from assay.engine.stores.fleet import FleetMinute
from assay.engine.stores.runs import StoredRun


class WorkerState(Schema):
    """A worker process; the contract calls its slots concurrent runs."""

    worker_id: FreeText
    hostname: FreeText
    running_runs: int
    max_concurrent_runs: int
    item_concurrency: int = Field(description="Concurrent calls of a run that sets no limit")
    running_shards: int
    calls_in_flight: Mapping[str, int] = Field(description="By endpoint")
    started_at: Moment
    last_seen: Moment
    is_alive: bool = Field(
        description="Whether it was seen recently; the shards of other workers are taken over"
    )
    is_draining: bool
    version: str
    only_models: tuple[FreeText, ...] = Field(description="The models it is limited to; empty for all")
    only_owners: tuple[FreeText, ...] = Field(
        description="The owners whose runs it is limited to; empty for all"
    )

    @classmethod
    def of(
        cls, worker: fleet.Worker, *, runs: int, item_concurrency: int, now: datetime, is_alive: bool
    ) -> Self:
        return cls(
            worker_id=worker.id,
            hostname=worker.host,
            running_runs=runs,
            max_concurrent_runs=worker.slots,
            item_concurrency=item_concurrency,
            running_shards=len(worker.running),
            calls_in_flight=worker.endpoints,
            started_at=worker.started_at,
            last_seen=now - timedelta(seconds=worker.silent_s),
            is_alive=is_alive,
            is_draining=worker.is_draining,
            version=worker.version,
            only_models=worker.only_models,
            only_owners=worker.only_owners,
        )


class QueueDepth(Schema):
    """Numbers of shards that wait for a worker, and that a worker has started."""

    queued: int
    running: int


class RunOutlook(Schema):
    """A summary of a run. Estimates come from measured rates, and are null if there are none."""

    id: str
    models: tuple[FreeText, ...]
    selected_benchmarks: tuple[str, ...]
    status: State
    priority: int
    owner: FreeText | None
    progress: Progress
    overall_score: float | None
    error_message: StoredMessage | None
    created_at: Moment
    started_at: Moment | None
    completed_at: Moment | None
    queue_position: int | None = Field(description="From 1, among the runs that have not started")
    start_in_s: Seconds | None
    finish_in_s: Seconds | None
    attempts_per_s: float | None

    @classmethod
    def of(
        cls,
        found: StoredRun,
        outlook: queue_estimate.Outlook = queue_estimate.UNKNOWN,
        rate: queue_estimate.Rate | None = None,
    ) -> Self:
        run, spec = found.run, found.run.spec
        return cls(
            id=run.id,
            models=spec.models,
            selected_benchmarks=spec.benchmarks,
            status=run.state,
            priority=spec.priority,
            owner=run.owner,
            progress=run_progress(found),
            overall_score=overall_score_of(found).value,
            error_message=run.error,
            created_at=run.created_at,
            started_at=run.started_at,
            completed_at=run.finished_at,
            queue_position=outlook.position,
            start_in_s=Seconds.of(outlook.start),
            finish_in_s=Seconds.of(outlook.finish),
            attempts_per_s=rate and rate.value,
        )


class TokenWindow(Schema):
    """Tokens of the runs created in the window, as far as they are summarised."""

    window_hours: int
    input_tokens: int
    output_tokens: int


class TokenStats(Schema):
    last_24h: TokenWindow
    last_7d: TokenWindow


class StalledAttempt(Schema):
    """An attempt of this process that has been waiting for a long time."""

    run_id: str
    evaluation_id: str
    model: FreeText
    benchmark: str
    item_id: FreeText
    sample: int
    idle_s: float


class BusyMinute(Schema):
    """The load of the installation in the minute that begins at `timestamp`."""

    timestamp: Moment
    worker_count: int
    running_runs: int
    queued_runs: int

    @classmethod
    def of(cls, minute: FleetMinute) -> Self:
        return cls(
            timestamp=minute.at,
            worker_count=minute.worker_count,
            running_runs=minute.running_runs,
            queued_runs=minute.queued_runs,
        )


class WorkerConfig(Schema):
    """Default limits of workers, from the settings of this process."""

    max_concurrent_runs: int = 4
    item_concurrency: int = 16
    item_timeout_seconds: float = 600.0
    item_attempts: int = 3
    heartbeat_seconds: float = 2.0
    stale_after_seconds: float = Field(
        default=10.0, description="A worker without a heartbeat for this long is replaced"
    )
    endpoint_connections: int | None = Field(
        default=None, description="Connections of all workers to one endpoint"
    )


class OverviewQuery(BaseModel):
    minutes: int = Field(default=360, ge=30, le=1440, description="How far back the time series goes")


class Overview(Schema):
    """Up to 25 runs of each kind; `queue_counts` counts all of them by state."""

    workers: tuple[WorkerState, ...]
    queue: QueueDepth
    queue_counts: Mapping[State, int]
    queued_runs: tuple[RunOutlook, ...]
    running_runs: tuple[RunOutlook, ...]
    completed_runs: tuple[RunOutlook, ...]
    token_stats: TokenStats
    timeseries: tuple[BusyMinute, ...] = Field(description="One for each minute, oldest first")
    worker_config: WorkerConfig
    stalled: tuple[StalledAttempt, ...] = Field(description="Longest first; only attempts of this process")
