"""Files and batches in the form of the OpenAI API."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from assay.api.schemas.batch.dataset_runs import DatasetRun
from assay.api.schemas.batch.webhooks import WebhookConfig
from assay.api.schemas.fields import FreeText, Schema, StoredMessage
from assay.domain.datasets.dataset import DataSet
from assay.domain.run import Evaluation, State
from assay.domain.summary import Tokens
from assay.engine.datasets.lines import URL
from assay.engine.results.batch_output import REPLIED

BatchStatus = Literal[
    "validating", "failed", "in_progress", "finalizing", "completed", "expired", "cancelling", "cancelled"
]
_STATUS: Mapping[State, BatchStatus] = {
    State.QUEUED: "validating",
    State.RUNNING: "in_progress",
    State.PAUSED: "in_progress",
    State.SUCCEEDED: "completed",
    State.FAILED: "failed",
    State.CANCELED: "cancelled",
}
WINDOW = "24h"


def file_id(dataset: DataSet) -> str:
    return dataset.id.replace("ds_", "file-", 1)


def seconds(moment: datetime) -> int:
    return int(moment.timestamp())


class FileObject(Schema):
    id: str
    object: Literal["file"] = "file"
    bytes: int
    created_at: int
    filename: FreeText
    purpose: Literal["batch", "batch_output"]
    status: Literal["processed"] = "processed"

    @classmethod
    def of(cls, dataset: DataSet) -> Self:
        return cls(
            id=file_id(dataset),
            bytes=dataset.size_bytes,
            created_at=seconds(dataset.created_at),
            filename=dataset.file_name,
            purpose="batch",
        )


class FileList(Schema):
    object: Literal["list"] = "list"
    data: tuple[FileObject, ...]
    first_id: str | None
    last_id: str | None
    has_more: bool


class DeletedFile(Schema):
    id: str
    object: Literal["file"] = "file"
    deleted: bool = True


class RequestCounts(Schema):
    total: int
    completed: int
    failed: int


class OutputTokensDetails(Schema):
    reasoning_tokens: int = Field(description="As far as the endpoint counted them")


class InputTokensDetails(Schema):
    cached_tokens: int | None = Field(default=None, description="Not known here")


class BatchUsage(Schema):
    """The tokens that the endpoint counted so far."""

    input_tokens: int
    input_tokens_details: InputTokensDetails = InputTokensDetails()
    output_tokens: int
    output_tokens_details: OutputTokensDetails
    total_tokens: int

    @classmethod
    def of(cls, tokens: Tokens) -> Self:
        return cls(
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            output_tokens_details=OutputTokensDetails(reasoning_tokens=tokens.reasoning),
            total_tokens=tokens.input + tokens.output,
        )


class BatchError(Schema):
    code: str
    message: StoredMessage
    line: int | None = None
    param: str | None = None


class BatchErrors(Schema):
    object: Literal["list"] = "list"
    data: tuple[BatchError, ...]


Label = Annotated[str, Field(max_length=512)]


class BatchRequest(BaseModel):
    """Unknown fields are ignored, because newer clients may send more."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "input_file_id": "file-…",
                    "endpoint": "/v1/chat/completions",
                    "completion_window": "24h",
                    "model": "sim/good",
                }
            ]
        },
    )

    input_file_id: str
    endpoint: str
    completion_window: Literal["24h"]
    metadata: dict[Annotated[str, Field(max_length=64)], Label] | None = Field(default=None, max_length=16)
    model: str | None = Field(default=None, description="Instead of the model that the lines name")
    webhook: WebhookConfig | None = Field(
        default=None, description="Notified when the batch has ended; or `metadata.webhook_url`"
    )

    @property
    def requested_webhook(self) -> WebhookConfig | None:
        url = (self.metadata or {}).get("webhook_url")
        return self.webhook or (WebhookConfig(url=url) if url else None)


class Batch(Schema):
    """One model on one data set; the files are available when it has ended."""

    id: str
    object: Literal["batch"] = "batch"
    endpoint: str = URL
    model: FreeText
    errors: BatchErrors | None
    input_file_id: str
    completion_window: str = WINDOW
    status: BatchStatus
    output_file_id: str | None
    error_file_id: str | None
    created_at: int
    in_progress_at: int | None
    expires_at: None = None
    finalizing_at: None = None
    completed_at: int | None
    failed_at: int | None
    expired_at: None = None
    cancelling_at: int | None
    cancelled_at: int | None
    request_counts: RequestCounts
    usage: BatchUsage
    metadata: dict[str, FreeText] | None

    @classmethod
    def of(cls, found: DatasetRun) -> Self:
        one, status = found.evaluation, _status(found)
        counts = _counts(found)
        ended = seconds(one.finished_at) if one.finished_at and one.state.is_final else None
        return cls(
            id=f"batch_{found.key}",
            model=one.model,
            errors=_errors(one) if status == "failed" else None,
            input_file_id=file_id(found.dataset) if found.dataset else "",
            status=status,
            output_file_id=f"file-output-{found.key}" if ended and counts.completed else None,
            error_file_id=f"file-errors-{found.key}" if ended and counts.failed else None,
            created_at=seconds(found.run.created_at),
            in_progress_at=seconds(one.started_at) if one.started_at else None,
            completed_at=ended if status == "completed" else None,
            failed_at=ended if status == "failed" else None,
            cancelling_at=ended if status == "cancelled" else None,
            cancelled_at=ended if status == "cancelled" else None,
            request_counts=counts,
            usage=BatchUsage.of(found.tokens),
            metadata=dict(found.run.spec.labels) or None,
        )


class BatchList(Schema):
    object: Literal["list"] = "list"
    data: tuple[Batch, ...]
    first_id: str | None
    last_id: str | None
    has_more: bool


def _status(found: DatasetRun) -> BatchStatus:
    """A batch is completed when every request was made, even if none succeeded."""
    if found.evaluation.state is State.FAILED and found.completed == found.evaluation.total_attempts:
        return "completed"
    return _STATUS[found.evaluation.state]


def _counts(found: DatasetRun) -> RequestCounts:
    replied = sum(count for outcome, count in found.outcomes.items() if outcome in REPLIED)
    return RequestCounts(
        total=found.evaluation.total_attempts, completed=replied, failed=found.completed - replied
    )


def _errors(evaluation: Evaluation) -> BatchErrors:
    return BatchErrors(data=(BatchError(code="evaluation-failed", message=evaluation.error or "it failed"),))
