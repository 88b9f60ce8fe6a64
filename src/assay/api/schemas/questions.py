"""Requests and responses of the harness for Expert QA."""

from typing import Annotated, Self

from pydantic import Field

from assay.api.schemas.fields import Body, FreeText, Schema
from assay.api.schemas.harness import MAX_MODELS, MAX_SAMPLES, Id, Level
from assay.api.schemas.run_request import Tokens
from assay.domain.run import MAX_SAMPLES as MAX_STORED_SAMPLES
from assay.engine.code_harness.attempts import CodeAttempt
from assay.engine.code_harness.questions import question_document

_Number = Annotated[int, Field(ge=1, lt=1_000_000_000)]
_Model = Annotated[FreeText, Field(description="Name of the model")]


class QaRunRequest(Body):
    """A run of Expert QA."""

    models: Annotated[list[Id], Field(min_length=1, max_length=MAX_MODELS)]
    samples: int = Field(default=1, ge=1, le=MAX_SAMPLES, description="Attempts at each question")
    temperature: float = Field(default=0.0, ge=0, le=2, description="Temperature of sampling")
    max_tokens: Tokens | None = Field(
        default=None, description="By default as the card of the benchmark says"
    )
    provider: Level | None = Field(default=None, description="The only provider that OpenRouter may ask")
    thinking_level: Level | None = Field(
        default=None, description="An effort such as `high`, or `budget_tokens=4096`"
    )
    include_thinking_variants: bool = Field(
        default=False, description="Also without the thinking level, for comparison"
    )
    sweep_thinking_levels: bool = Field(
        default=False, description="Without a thinking level, and at low, medium and high"
    )
    judge: Id | None = Field(
        default=None, description="Model that grades; by default that of EXPERT_QA_JUDGE_MODEL"
    )


class QaAttemptKey(Schema):
    """One attempt of a run, unique in it."""

    question_number: int = Field(description="Number of the question")
    model: _Model
    sample_index: int = Field(description="Number of the attempt at the question, from 0")
    thinking_level: FreeText = Field(description="Thinking level; `base` if none was requested")


class QaApiError(QaAttemptKey):
    error: FreeText | None = Field(description="Why there is no verdict; null if nobody knows")
    error_type: FreeText | None = Field(description="Code of the error; null if nobody knows")
    is_transient: bool | None = Field(description="Whether asking again can help; null if nobody knows")

    @classmethod
    def of(cls, one: CodeAttempt) -> Self:
        return cls.model_validate({**question_document(one), "thinking_level": one.level})


class QaApiErrors(Schema):
    """The attempts without a verdict."""

    run_id: str
    api_error_count: int = Field(description="Number of such attempts")
    api_errors: tuple[QaApiError, ...] = Field(description="One entry for each such attempt")


class QaIncomplete(Schema):
    """The attempts that the run has not made."""

    run_id: str
    incomplete_count: int = Field(description="Number of such attempts")
    incomplete_attempts: tuple[QaAttemptKey, ...] = Field(description="One entry for each such attempt")


class QaSingleRetry(Body):
    question_number: _Number = Field(description="Number of the question")
    model: Id | None = Field(default=None, description="Required if the run has several models")
    sample_index: int = Field(
        default=0, ge=0, lt=MAX_STORED_SAMPLES, description="Number of the attempt at the question, from 0"
    )
    thinking_level: Level | None = Field(default=None, description="Required if the run has several levels")
