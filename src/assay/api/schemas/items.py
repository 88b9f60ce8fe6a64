"""Attempts as responses; the contract calls them item results."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import BaseModel, Field, JsonValue

from assay.api.schemas.evaluations import usd
from assay.api.schemas.fields import FreeText, Moment, Schema, plain_json
from assay.api.schemas.runs import RunBenchmark
from assay.domain.attempt import Attempt
from assay.domain.outcome import Outcome
from assay.domain.review import Label
from assay.engine.results.text_match import Match, MatchedField
from assay.engine.stores.attempts import AttemptOrder

WHICH_MODEL = "Required if the run has several models"
REVEAL = "Show the texts of a gated benchmark unmasked; for the operator only"


class ItemQuery(BaseModel):
    """Which item results, in which order."""

    model: str | None = Field(default=None, description=WHICH_MODEL)
    outcome: list[Outcome] = Field(default=[], description="Only these; may be given several times")
    search: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Part of an item's id, of the extracted or expected answer, of the prompt, the reply or"
        " the error; ASCII letters in either case",
    )
    category: list[str] = Field(default=[], max_length=100, description="Only items of these categories")
    label: list[Label | Literal["none"]] = Field(
        default=[], description="Only attempts whose newest label is one of these; `none` is no label"
    )
    min_tokens: int | None = Field(default=None, ge=0, le=10**12, description="Of the reply")
    max_tokens: int | None = Field(default=None, ge=0, le=10**12, description="Of the reply")
    min_ms: float | None = Field(default=None, ge=0, le=10**12, description="The time a reply took")
    max_ms: float | None = Field(default=None, ge=0, le=10**12, description="The time a reply took")
    per_item: bool = Field(
        default=False, description="Only the first sample of each item that the filter leaves"
    )
    sort: AttemptOrder = "item"
    limit: int = Field(default=100, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10**12)
    reveal: bool = Field(default=False, description=REVEAL)
    summary: bool = Field(default=True, description="Include the totals, which read every item")
    brief: bool = Field(
        default=False,
        description="Leave out prompts, reasoning and test code, and all but the beginning of replies",
    )


class TextMatch(Schema):
    """Where a search matched: the field, what was found there, and the text before and after it."""

    field: MatchedField
    before: FreeText = Field(description="What stands before the match, on one line")
    text: FreeText = Field(description="What matched, as it is written there")
    after: FreeText = Field(description="What stands after the match, on one line")

    @classmethod
    def of(cls, found: Match) -> Self:
        return cls(field=found.field, before=found.before, text=found.text, after=found.after)


class SampleCount(Schema):
    """How many samples of an item have ended, and how many of them are correct."""

    made: int = Field(description="Samples that have ended")
    correct: int = Field(description="Samples with a right answer")


class AttemptFields(Schema):
    """One sample of one item; `is_correct` and `score` are null if there is no verdict."""

    id: str
    item_id: FreeText
    item_hash: str | None
    prompt: FreeText
    response: FreeText
    expected: FreeText | None
    is_correct: bool | None
    score: float | None
    judge_output: dict[str, JsonValue] | None
    latency_ms: float
    input_tokens: int | None
    output_tokens: int | None
    error: FreeText | None
    test_code: FreeText | None
    item_metadata: dict[str, JsonValue] | None
    created_at: Moment
    sample: int
    outcome: Outcome
    extracted: FreeText | None
    reasoning: FreeText
    finish_reason: str | None
    is_cut: bool
    cost_usd: float | None

    @classmethod
    def of(cls, attempt: Attempt) -> Self:
        return cls(
            id=f"{attempt.evaluation_id}:{attempt.item_id}:{attempt.sample}",
            item_id=attempt.item_id,
            item_hash=attempt.item_hash,
            prompt=attempt.prompt,
            response=attempt.answer,
            expected=attempt.expected,
            is_correct=attempt.outcome is Outcome.CORRECT if attempt.outcome.is_verdict else None,
            score=attempt.score,
            judge_output=_judge_output(attempt),
            latency_ms=latency_ms(attempt),
            input_tokens=attempt.usage.input_tokens,
            output_tokens=attempt.usage.output_tokens,
            error=None if attempt.outcome.is_final else error_text(attempt),
            test_code=attempt.test_code,
            item_metadata=None,
            created_at=attempt.finished_at,
            sample=attempt.sample,
            outcome=attempt.outcome,
            extracted=attempt.extracted,
            reasoning=attempt.reasoning,
            finish_reason=attempt.finish_reason,
            is_cut=attempt.is_cut,
            cost_usd=usd(attempt.cost_usd),
        )


class ItemResult(AttemptFields):
    """One sample of one item in a list, with what the list shows beside it."""

    category: FreeText | None
    label: Label | None = Field(description="The newest of the annotations of people")
    samples: SampleCount = Field(description="Of the item")
    match: TextMatch | None = Field(description="Where the search matched")


class ItemPage(Schema):
    items: tuple[ItemResult, ...]
    total: int = Field(
        description="On all pages; for a search, those up to 5,000 beyond where the page begins"
    )
    is_total_exact: bool = Field(description="False where a search has more matches than `total`")
    limit: int
    offset: int


class ErrorCount(Schema):
    message: FreeText
    count: int


class ItemSummary(Schema):
    """Totals over the finished attempts; costs and prices are null if unknown.

    `incorrect` counts all verdicts other than correct, `answered` the replies to items without an expected
    answer, `errors` the attempts without either.
    """

    total_items: int
    correct: int
    incorrect: int
    answered: int
    errors: int
    avg_latency_ms: float | None
    input_tokens: int
    output_tokens: int
    total_tokens: int
    input_cost_usd: float | None
    output_cost_usd: float | None
    total_cost_usd: float | None
    pricing_input_per_million_usd: float | None
    pricing_output_per_million_usd: float | None
    error_breakdown: tuple[ErrorCount, ...]


class BenchmarkItems(Schema):
    benchmark: RunBenchmark
    items: ItemPage
    categories: tuple[FreeText, ...] = Field(description="Of the items of the evaluation")
    summary: ItemSummary | None = Field(description="Null if the query has `summary=false`")
    is_masked: bool = Field(description="Whether the texts are hidden, because the benchmark is gated")


class LatencyBin(Schema):
    """How many values lie from `low` up to, but not including, `high`."""

    low: float
    high: float
    count: int


class LatencyHistogram(Schema):
    n: int
    bins: tuple[LatencyBin, ...]


class LatencyReport(Schema):
    """A histogram per metric over the replies that were timed; `stalled` counts those that stalled."""

    replies: int
    stalled: int
    metrics: Mapping[str, LatencyHistogram]


def latency_ms(attempt: Attempt) -> float:
    """The duration of the answering call if it was measured, otherwise of the whole attempt."""
    if attempt.timing is not None:
        return attempt.timing.duration_ms
    return (attempt.finished_at - attempt.started_at).total_seconds() * 1000


def error_text(attempt: Attempt) -> str:
    return attempt.error_message or attempt.error_code or attempt.outcome.value


def _judge_output(attempt: Attempt) -> dict[str, JsonValue] | None:
    if not attempt.explanation and not attempt.details:
        return None
    return {"explanation": plain_json(attempt.explanation), "details": plain_json(attempt.details)}
