"""Something that happened to a run, for live listeners."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assay.domain.calls.messages import Json
from assay.domain.run import RunId


class EventType(StrEnum):
    RUN_CREATED = "run_created"
    RUN_STARTED = "run_started"
    RUN_RESUMED = "run_resumed"
    RUN_PAUSED = "run_paused"
    RUN_REQUEUED = "run_requeued"
    RUN_COMPLETED = "run_completed"
    RUN_FAILED = "run_failed"
    RUN_CANCELED = "run_canceled"
    BENCHMARK_STARTED = "benchmark_started"
    BENCHMARK_RESUMED = "benchmark_resumed"
    BENCHMARK_PROGRESS = "benchmark_progress"
    BENCHMARK_COMPLETED = "benchmark_completed"
    BENCHMARK_FAILED = "benchmark_failed"
    MODEL_WARMED_UP = "model_warmed_up"


@dataclass(frozen=True, slots=True)
class Event:
    """`id` increases with time and is None until the store has assigned it."""

    run_id: RunId
    type: EventType
    created_at: datetime
    message: str = ""
    benchmark: str | None = None
    model: str | None = None
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    id: int | None = None
