"""The JSON report of `janus-bench`, with the field names of the original."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

from assay.domain.composite import Composite
from assay.engine.results.measures import Measure

Share = float | None
"""From 0 to 1; None where it is unknown."""
Points = float | None
"""From 0 to 100; None where it is unknown."""


@dataclass(frozen=True, slots=True)
class StreamingMetrics:
    """`avg_tps` counts tokens as the endpoint reported them; `peak_tps` and `min_tps` count chunks."""

    ttft_seconds: float | None = None
    max_gap_seconds: float | None = None
    total_chunks: int = 0
    keep_alive_count: int = 0
    total_duration_seconds: float = 0.0
    avg_tps: float | None = None
    peak_tps: float | None = None
    min_tps: float | None = None
    total_tokens: int | None = None
    continuity_score: Share = None
    continuity_gap_count: int | None = None
    continuity_max_gap_seconds: float | None = None
    continuity_coefficient_of_variation: float | None = None


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One item; `success` means that it was answered in time, whether rightly or not."""

    task_id: str
    benchmark: str
    task_type: str
    success: bool
    response_text: str
    error: str | None
    latency_seconds: float
    streaming_metrics: StreamingMetrics | None
    tokens_per_second: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    total_tokens: int | None
    cost_usd: float | None
    sandbox_seconds: float | None
    quality_score: Share
    speed_score: Share
    cost_score: Share
    streaming_score: Share
    multimodal_score: Share
    timestamp: datetime
    judge_score: Share = None
    judge_output: Mapping[str, object] | None = None
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class PartReport:
    """A part from 0 to 1, with the points that it adds to the composite."""

    value: Share
    low: float
    high: float
    n: int
    total: int
    note: str
    points: float | None


@dataclass(frozen=True, slots=True)
class CompositeReport:
    """The composite with its bounds, what is missing, and what does not count."""

    value: Points
    low: float
    high: float
    sentence: str
    minimum_quality: float
    weights: Mapping[str, float]
    missing: Sequence[str]
    closed: Sequence[str]
    parts: Mapping[str, PartReport]


def composite_report(found: Composite) -> CompositeReport:
    return CompositeReport(
        value=found.value,
        low=found.low,
        high=found.high,
        sentence=found.sentence,
        minimum_quality=found.rule.minimum_quality,
        weights=asdict(found.rule.weights),
        missing=[part.value for part in found.missing],
        closed=[part.value for part in found.closed],
        parts={
            part.value: PartReport(**asdict(score), points=found.points(part))
            for part, score in found.parts.items()
        },
    )


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """Scores are None where data is missing; `composite` says what, and bounds them.

    A task has passed if its quality is at least one half.
    """

    run_id: str
    suite: str
    target_url: str
    model: str
    started_at: datetime
    completed_at: datetime | None
    composite_score: Points
    quality_score: Points
    speed_score: Points
    cost_score: Points
    streaming_score: Points
    multimodal_score: Points
    total_tasks: int
    passed_tasks: int
    failed_tasks: int
    avg_latency_seconds: float | None
    p50_latency_seconds: float | None
    avg_ttft_seconds: float | None
    max_gap_seconds: float | None
    total_tokens: int | None
    total_cost_usd: float | None
    results: Sequence[TaskResult]
    weights: Mapping[str, float]
    benchmark_scores: Mapping[str, Share]
    benchmark_metrics: Mapping[str, Mapping[str, Measure]]
    composite: CompositeReport | None = None
    assay_run_id: str = ""
    assay_version: str = ""
