"""Runs on data sets, as responses; the contract of the batch UI calls each a benchmark."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Self

from pydantic import BaseModel, Field, JsonValue

from assay.api.schemas.batch.webhooks import WebhookConfig
from assay.api.schemas.evaluations import usd
from assay.api.schemas.fields import Body, FreeText, Moment, Schema, StoredMessage
from assay.api.schemas.run_request import Connections, JudgeConfig, Name
from assay.domain.datasets.dataset import DataSet
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run, State
from assay.domain.summary import Tokens

ContractStatus = Literal["running", "paused", "completed", "failed", "canceled"]
_STATUS: Mapping[State, ContractStatus] = {
    State.QUEUED: "running",
    State.RUNNING: "running",
    State.PAUSED: "paused",
    State.SUCCEEDED: "completed",
    State.FAILED: "failed",
    State.CANCELED: "canceled",
}
_PERCENT = 100


@dataclass(frozen=True, slots=True)
class DatasetRun:
    """One model on one data set, with its progress; `dataset` is None if it was deleted."""

    run: Run
    evaluation: Evaluation
    position: int
    dataset: DataSet | None
    outcomes: Mapping[Outcome, int]
    tokens: Tokens

    @property
    def key(self) -> str:
        """The part that all ids of this run share."""
        return f"{self.run.id}_{self.position}"

    @property
    def id(self) -> str:
        return f"bm_{self.key}"

    @property
    def completed(self) -> int:
        return sum(self.outcomes.values())

    def elapsed_s(self, now: datetime) -> float:
        started = self.evaluation.started_at
        return 0.0 if started is None else ((self.evaluation.finished_at or now) - started).total_seconds()


class DatasetRunRequest(Body):
    """The model and the data set; the lines give everything else."""

    model_id: Name
    dataset_id: Name
    max_connections: Connections | None = None
    samples: int = Field(default=1, ge=1, le=100)
    judge: JudgeConfig | Name | None = Field(default=None, description="For lines that are graded by a judge")
    webhook: WebhookConfig | None = Field(default=None, description="Notified when the run has ended")


class StartedDatasetRun(Schema):
    benchmark_id: str
    status: ContractStatus
    started_at: Moment
    run_id: str


class Pace(Schema):
    """`throughput` is in output tokens per second as counted by the endpoint, null if it did not count."""

    throughput: float | None
    requests_per_s: float | None
    eta_seconds: int | None
    output_tokens: int
    input_tokens: int

    @classmethod
    def of(cls, found: DatasetRun, now: datetime) -> Self:
        elapsed_s = found.elapsed_s(now)
        requests_per_s = found.completed / elapsed_s if elapsed_s > 0 and found.completed else None
        left = found.evaluation.total_attempts - found.completed
        is_over = found.evaluation.state.is_final
        return cls(
            throughput=found.tokens.output / elapsed_s if elapsed_s > 0 and found.tokens.output else None,
            requests_per_s=requests_per_s,
            eta_seconds=0 if is_over else None if requests_per_s is None else round(left / requests_per_s),
            output_tokens=found.tokens.output,
            input_tokens=found.tokens.input,
        )


class DatasetRunRow(Pace):
    benchmark_id: str
    model_id: FreeText
    model_name: FreeText
    dataset_id: str | None = Field(description="Null if the data set was deleted")
    dataset_name: FreeText
    status: ContractStatus
    state: State
    progress: int = Field(description="Percent")
    completed: int
    failed: int = Field(description="Completed requests without a reply")
    total: int
    started_at: Moment
    completed_at: Moment | None
    total_time_seconds: float
    run_id: str
    evaluation_id: str
    benchmark: str
    score: float | None
    cost_usd: float | None
    error: StoredMessage | None

    @classmethod
    def of(cls, found: DatasetRun, now: datetime) -> Self:
        one, summary = found.evaluation, found.evaluation.summary
        missing = (count for outcome, count in found.outcomes.items() if not outcome.is_final)
        return cls(
            **dict(Pace.of(found, now)),
            benchmark_id=found.id,
            model_id=one.model,
            model_name=one.model.partition("/")[2] or one.model,
            dataset_id=found.dataset.id if found.dataset else None,
            dataset_name=found.dataset.file_name if found.dataset else one.benchmark,
            status=_STATUS[one.state],
            state=one.state,
            progress=_PERCENT * found.completed // max(1, one.total_attempts),
            completed=found.completed,
            failed=sum(missing),
            total=one.total_attempts,
            started_at=one.started_at or found.run.created_at,
            completed_at=one.finished_at,
            total_time_seconds=found.elapsed_s(now),
            run_id=found.run.id,
            evaluation_id=one.id,
            benchmark=one.benchmark,
            score=summary.score.value if summary and summary.score else None,
            cost_usd=usd(summary.cost_usd) if summary else None,
            error=one.error,
        )


class DatasetRunList(Schema):
    """Newest first; `total` counts runs, which may have several models each."""

    benchmarks: tuple[DatasetRunRow, ...]
    total: int


class ActiveDatasetRuns(Schema):
    jobs: tuple[DatasetRunRow, ...]


class DatasetRunQuery(BaseModel):
    dataset_id: str | None = Field(default=None, description="Only runs on this version of a data set")
    limit: int = Field(default=50, ge=1, le=200, description="Runs on a page")
    offset: int = Field(default=0, ge=0, le=10**12)


class BatchResult(Schema):
    """One answer in the form of OpenAI batch output; `sample` is set only if there are several."""

    id: str
    custom_id: FreeText
    sample: int | None = None
    response: dict[str, JsonValue] | None
    error: dict[str, JsonValue] | None


class DatasetRunHead(Schema):
    benchmark_id: str
    model_name: FreeText
    dataset_name: FreeText
    status: ContractStatus
    total_time_seconds: float
    throughput: float | None
    completed: int
    total: int

    @classmethod
    def of(cls, row: DatasetRunRow) -> Self:
        return cls(
            benchmark_id=row.benchmark_id,
            model_name=row.model_name,
            dataset_name=row.dataset_name,
            status=row.status,
            total_time_seconds=row.total_time_seconds,
            throughput=row.throughput,
            completed=row.completed,
            total=row.total,
        )


class DatasetRunResults(DatasetRunHead):
    """The answers so far, in the order of the data set."""

    results: tuple[BatchResult, ...]
