"""One item in full: every attempt at it, with its calls."""

from typing import Literal, Self

from pydantic import BaseModel, Field, JsonValue

from assay.api.schemas.evaluations import usd
from assay.api.schemas.fields import FreeText, Moment, Schema, json_object
from assay.api.schemas.items import REVEAL, WHICH_MODEL, AttemptFields
from assay.domain.attempt import Attempt, Call
from assay.domain.calls.pricing import Price, usage_cost_usd
from assay.domain.calls.timing import Arrivals, StreamTiming


class SampleQuery(BaseModel):
    """Which of the attempts at an item."""

    model: str | None = Field(default=None, description=WHICH_MODEL)
    limit: int = Field(default=20, ge=1, le=100, description="Samples to show")
    offset: int = Field(default=0, ge=0, le=10**6)
    reveal: bool = Field(default=False, description=REVEAL)


class Timing(Schema):
    """Milliseconds on a monotonic clock; null if the reply has no such moment."""

    duration_ms: float
    ttft_ms: float | None
    ttfat_ms: float | None
    max_gap_ms: float | None
    silence_ms: float | None
    stalls: int
    chunks: int
    tokens_per_s: float | None
    continuity: float | None = Field(description="How evenly the pieces arrived, from 0 to 1")
    keep_alives: int = Field(description="Comments of the stream that only keep the connection open")

    @classmethod
    def of(cls, found: StreamTiming) -> Self:
        return cls(
            duration_ms=found.duration_ms,
            ttft_ms=found.ttft_ms,
            ttfat_ms=found.ttfat_ms,
            max_gap_ms=found.max_gap_ms,
            silence_ms=found.silence_ms,
            stalls=found.stalls,
            chunks=found.chunks,
            tokens_per_s=found.tokens_per_s,
            continuity=found.continuity,
            keep_alives=found.keep_alives,
        )


class CallResult(Schema):
    """One HTTP exchange with an endpoint; `concurrency` is the number in flight when it started."""

    started_at: Moment
    duration_ms: float
    role: Literal["model", "judge", "user"]
    status: int | None
    error_code: str | None
    error_message: FreeText | None
    finish_reason: FreeText | None
    input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cached_tokens: int | None
    reported_cost_usd: float | None
    cost_usd: float | None = Field(
        description="As reported, or else the tokens times the model's price in the run; null if unknown"
    )
    timing: Timing | None
    served_model: FreeText | None
    system_fingerprint: FreeText | None
    concurrency: int | None
    arrivals_ms: tuple[float, ...] = Field(
        description="When the chunks of a stream arrived, since the request was sent; of a very long stream,"
        " those around the longest gaps and an even share of the rest"
    )

    @classmethod
    def of(cls, call: Call, price: Price | None = None) -> Self:
        return cls(
            started_at=call.started_at,
            duration_ms=call.duration_ms,
            role=call.role,
            status=call.status,
            error_code=call.error_code,
            error_message=call.error_message,
            finish_reason=call.finish_reason,
            input_tokens=call.usage.input_tokens,
            output_tokens=call.usage.output_tokens,
            reasoning_tokens=call.usage.reasoning_tokens,
            cached_tokens=call.usage.cached_tokens,
            reported_cost_usd=usd(call.usage.reported_cost_usd),
            cost_usd=usd(usage_cost_usd(call.usage, price if call.role == "model" else None)),
            timing=Timing.of(call.timing) if call.timing else None,
            served_model=call.served_model,
            system_fingerprint=call.system_fingerprint,
            concurrency=call.concurrency,
            arrivals_ms=_arrivals_ms(call.arrivals),
        )


def _arrivals_ms(found: Arrivals | None) -> tuple[float, ...]:
    if found is None:
        return ()
    return tuple(round((at_s - found.started_s) * 1000, 1) for at_s in found.chunks_s)


class AttemptDetail(AttemptFields):
    """An item result with the explanation of its grade, and all calls."""

    started_at: Moment
    finished_at: Moment
    explanation: FreeText
    details: dict[str, JsonValue]
    error_code: str | None
    judge_cost_usd: float | None
    timing: Timing | None
    tries: int
    calls: tuple[CallResult, ...]

    @classmethod
    def of(cls, attempt: Attempt, price: Price | None = None) -> Self:
        return cls(
            **dict(AttemptFields.of(attempt)),
            started_at=attempt.started_at,
            finished_at=attempt.finished_at,
            explanation=attempt.explanation,
            details=json_object(attempt.details),
            error_code=attempt.error_code,
            judge_cost_usd=usd(attempt.judge_cost_usd),
            timing=Timing.of(attempt.timing) if attempt.timing else None,
            tries=attempt.tries,
            calls=tuple(CallResult.of(call, price) for call in attempt.calls),
        )


class ItemDetail(Schema):
    """The finished attempts at one item; `samples` is the number planned."""

    item_id: FreeText
    run_id: str
    evaluation_id: str
    model: FreeText
    benchmark: str
    samples: int
    attempts: tuple[AttemptDetail, ...]
    is_masked: bool = Field(description="Whether the texts are hidden, because the benchmark is gated")
