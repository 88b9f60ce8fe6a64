"""How the installation works right now, for its operator."""

from collections.abc import Mapping
from typing import Self

from pydantic import Field

from assay.api.schemas.evaluations import Progress
from assay.api.schemas.fields import FreeText, Moment, Schema
from assay.api.schemas.runs import RunFields
from assay.api.stored import StoredRun
from assay.domain.run import State
from assay.engine import fleet, queue_estimate


class WorkerState(Schema):
    """A worker process; the contract calls its slots concurrent runs."""

    worker_id: FreeText
    hostname: FreeText
    running_runs: int
    max_concurrent_runs: int
    running_shards: int
    calls_in_flight: Mapping[str, int] = Field(description="By endpoint")
    started_at: Moment
    last_seen: Moment
    is_alive: bool = Field(description="Whether it was seen lately; the shards of others are taken over")
    is_draining: bool
    version: str

    @classmethod
    def of(cls, worker: fleet.Worker, *, runs: int, is_alive: bool) -> Self:
        return cls(
            worker_id=worker.id,
            hostname=worker.host,
            running_runs=runs,
            max_concurrent_runs=worker.slots,
            running_shards=len(worker.running),
            calls_in_flight=worker.endpoints,
            started_at=worker.started_at,
            last_seen=worker.last_seen,
            is_alive=is_alive,
            is_draining=worker.is_draining,
            version=worker.version,
        )


class QueueDepth(Schema):
    """In shards: those that wait for a worker, and those a worker has."""

    queued: int
    running: int


class Seconds(Schema):
    """From now, at the earliest and at the latest."""

    low: float
    high: float

    @classmethod
    def of(cls, spread: queue_estimate.Spread | None) -> Self | None:
        return None if spread is None else cls(low=spread.low_s, high=spread.high_s)


class RunOutlook(Schema):
    """A run in short. Estimates come from measured rates, and are null where nothing was measured."""

    id: str
    models: tuple[FreeText, ...]
    selected_benchmarks: tuple[str, ...]
    status: State
    priority: int
    owner: FreeText | None
    progress: Progress
    overall_score: float | None
    error_message: FreeText | None
    created_at: Moment
    started_at: Moment | None
    completed_at: Moment | None
    queue_position: int | None = Field(description="From 1, among the runs that have not begun")
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
        fields = RunFields.of(found)
        return cls(
            id=fields.id,
            models=fields.models,
            selected_benchmarks=fields.selected_benchmarks,
            status=fields.status,
            priority=fields.priority,
            owner=found.run.owner,
            progress=fields.progress,
            overall_score=fields.overall_score,
            error_message=fields.error_message,
            created_at=fields.created_at,
            started_at=fields.started_at,
            completed_at=fields.completed_at,
            queue_position=outlook.position,
            start_in_s=Seconds.of(outlook.start),
            finish_in_s=Seconds.of(outlook.finish),
            attempts_per_s=rate and rate.value,
        )


class TokenWindow(Schema):
    """Tokens of the runs created in the window whose usage has been summed up."""

    window_hours: int
    input_tokens: int
    output_tokens: int


class TokenStats(Schema):
    last_24h: TokenWindow
    last_7d: TokenWindow


class StalledAttempt(Schema):
    """An attempt of this process that has been under way for long."""

    run_id: str
    evaluation_id: str
    model: FreeText
    benchmark: str
    item_id: FreeText
    sample: int
    idle_s: float


class Overview(Schema):
    """Up to 25 runs of each kind; `queue_counts` counts all of them by state."""

    workers: tuple[WorkerState, ...]
    queue: QueueDepth
    queue_counts: Mapping[State, int]
    queued_runs: tuple[RunOutlook, ...]
    running_runs: tuple[RunOutlook, ...]
    completed_runs: tuple[RunOutlook, ...]
    token_stats: TokenStats
    stalled: tuple[StalledAttempt, ...] = Field(description="Longest first; only of this process")
