"""Requests and responses of the code harness."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, JsonValue

from assay.api.schemas.fields import Body, FreeText, Schema, json_object
from assay.api.schemas.run_request import Tokens
from assay.domain.json_value import Json
from assay.domain.registry import ListedModel
from assay.domain.run import MAX_SAMPLES as MAX_STORED_SAMPLES
from assay.domain.run import State
from assay.domain.stats import plural
from assay.engine.code_harness.attempts import CodeAttempt, attempt_document
from assay.engine.models.local_models import LocalModel

LM_STUDIO = "lmstudio"
MAX_SAMPLES = 10
MAX_MODELS = 50
_MAX_TASKS = 1_000
_MAX_RESPONSE_CHARACTERS = 500_000
_MILLION = 1_000_000
_CONTEXT: Any = Field(description="Context in tokens; null if the list does not say")
_LEVELS = ("low", "medium", "high")

Id = Annotated[str, Field(min_length=1, max_length=500)]
Level = Annotated[str, Field(min_length=1, max_length=64)]


_Model = Annotated[FreeText, Field(description="Name of the model")]
_AppliedLevel = Annotated[FreeText, Field(description="Thinking level; `base` if none was requested")]
_Tasks = Annotated[int, Field(description="Number of tasks")]


class HarnessHealth(Schema):
    status: Literal["ok"] = Field(default="ok", description="Always the same")


class HarnessRunRequest(Body):
    """A run of the code catalogue, or of some of its tasks."""

    models: Annotated[list[Id], Field(min_length=1, max_length=MAX_MODELS)]
    tasks: Annotated[list[Id], Field(min_length=1, max_length=_MAX_TASKS)] | None = Field(
        default=None, description="Ids of the tasks; all of them by default"
    )
    samples: int = Field(default=1, ge=1, le=MAX_SAMPLES, description="Attempts at each task")
    temperature: float = Field(default=0.0, ge=0, le=2, description="Temperature of sampling")
    max_tokens: Tokens | None = Field(
        default=None, description="By default as the card of the benchmark says"
    )
    provider: Level | None = Field(default=None, description="The only provider that OpenRouter may ask")
    include_tests: bool = Field(default=False, description="Show the tests to the model")
    install_deps: bool = Field(
        default=False, description="No effect: the tasks need no packages, and the sandbox has no network"
    )
    allow_incomplete_diffs: bool = Field(default=False, description="Accept a diff whose fence is not closed")
    allow_diff_rewrite_fallback: bool = Field(
        default=False, description="Apply a diff that does not fit as a rewrite of the file, or nearly"
    )
    response_text: Annotated[str, Field(min_length=1, max_length=_MAX_RESPONSE_CHARACTERS)] | None = Field(
        default=None, description="Grade this reply instead of asking: one task, one model, one sample"
    )
    thinking_level: Level | None = Field(
        default=None, description="An effort such as `high`, or `budget_tokens=4096`"
    )
    include_thinking_variants: bool = Field(
        default=False, description="Also without the thinking level, for comparison"
    )
    sweep_thinking_levels: bool = Field(
        default=False, description="Without a thinking level, and at low, medium and high"
    )


class HarnessRunStarted(Schema):
    run_id: str


class HarnessCodeRunStarted(HarnessRunStarted):
    left_out: dict[str, str] = Field(
        default={}, description="Ids of tasks that cannot be tested on this server, with the reason"
    )


class HarnessRunSummary(Schema):
    """The whole of `summary.json`."""

    summary: dict[str, JsonValue] = Field(
        description="What was asked for, `attempts`, counts by status, `metrics`, times, tokens and prices"
    )

    @classmethod
    def of(cls, document: Mapping[str, Json]) -> Self:
        return cls(summary=json_object(document))


class HarnessRun(Schema):
    run_id: str
    timestamp_utc: str = Field(description="When it was created")
    model_id: FreeText = Field(description="Several models are separated by commas")
    accuracy: float | None = Field(description="Mean of the models' accuracies; null until one is known")
    total_cost_usd: float | None = Field(description="Null if any part of it is unknown")
    total_duration_seconds: float | None = Field(description="Null before it has started")
    status: State

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """From the summary of the run."""
        return cls(
            run_id=document["run_id"],
            timestamp_utc=document["timestamp_utc"],
            model_id=",".join(document["models"]),
            accuracy=document["metrics"]["macro_accuracy"],
            total_cost_usd=document["token_usage"]["total_cost_usd"],
            total_duration_seconds=document["timing"]["total_duration_seconds"],
            status=document["status"],
        )


class HarnessRuns(Schema):
    """Newest first."""

    runs: tuple[HarnessRun, ...] = Field(description="One entry for each run")


class HarnessAttemptKey(Schema):
    """One attempt of a run, unique in it."""

    task_id: FreeText = Field(description="Id of the task")
    model: _Model
    sample_index: int = Field(description="Number of the attempt at the task, from 0")
    thinking_level: _AppliedLevel


class HarnessApiError(HarnessAttemptKey):
    error: FreeText | None = Field(description="Why there is no verdict; null if nobody knows")
    error_type: FreeText | None = Field(description="Code of the error; null if nobody knows")
    is_transient: bool | None = Field(description="Whether asking again can help; null if nobody knows")

    @classmethod
    def of(cls, one: CodeAttempt) -> Self:
        return cls.model_validate({**attempt_document(one), "thinking_level": one.level})


class HarnessApiErrors(Schema):
    """The attempts without a verdict."""

    run_id: str
    api_error_count: int = Field(description="Number of such attempts")
    api_errors: tuple[HarnessApiError, ...] = Field(description="One entry for each such attempt")


class HarnessIncomplete(Schema):
    """The attempts that the run has not made."""

    run_id: str
    incomplete_count: int = Field(description="Number of such attempts")
    incomplete_attempts: tuple[HarnessAttemptKey, ...] = Field(description="One entry for each such attempt")


class HarnessRetried(Schema):
    """A run whose attempts without a verdict are made again."""

    retry_run_id: str = Field(description="The same run, which is queued again")
    original_run_id: str = Field(description="The run that was named")
    api_errors_found: int = Field(description="How many attempts are made again")
    message: str = Field(description="What happens, for people")

    @classmethod
    def of(cls, run_id: str, attempts: int) -> Self:
        message = f"{plural(attempts, 'attempt')} without a verdict will be made again"
        return cls(retry_run_id=run_id, original_run_id=run_id, api_errors_found=attempts, message=message)


class HarnessResumed(Schema):
    """A run that goes on."""

    run_id: str
    incomplete_count: int = Field(description="How many attempts it is going to make")
    message: str = Field(description="What happens, for people")

    @classmethod
    def of(cls, run_id: str, attempts: int) -> Self:
        message = f"{plural(attempts, 'attempt')} will be made"
        return cls(run_id=run_id, incomplete_count=attempts, message=message)


class HarnessSingleRetry(Body):
    task_id: Id = Field(description="Id of the task")
    model: Id | None = Field(default=None, description="Required if the run has several models")
    sample_index: int = Field(
        default=0, ge=0, lt=MAX_STORED_SAMPLES, description="Number of the attempt at the task, from 0"
    )
    thinking_level: Level | None = Field(default=None, description="Required if the run has several levels")


class HarnessFigure(Schema):
    """A mean with its 95 % interval."""

    value: float
    low: float | None = Field(description="Lower end of the interval; null if there is none")
    high: float | None = Field(description="Upper end of the interval; null if there is none")
    n: int = Field(description="Number of values")


class HarnessRow(Schema):
    """A model at a thinking level with its best run."""

    model_id: _Model
    thinking_level: _AppliedLevel
    best_accuracy: float = Field(description="Passed attempts of the best run, of those with a verdict")
    cost_at_best: float | None = Field(description="Of the best run, in USD; null if any part is unknown")
    duration_at_best: float | None = Field(description="Of the best run, in seconds; null if unknown")
    best_run_id: str = Field(description="Id of the best run")
    runs: int = Field(description="Runs of the model that count here")
    attempts: int = Field(description="Attempts with a verdict in the best run")
    api_errors: int = Field(description="Attempts without a verdict in the best run")
    figures: dict[str, HarnessFigure] = Field(
        description="Of the best run: `accuracy`, `pass@k`, and by `category:`, `type:` and `difficulty:`"
    )


class HarnessUnranked(Schema):
    run_id: str
    model: _Model
    level: _AppliedLevel
    reason: FreeText = Field(description="Why it is not ranked")


class HarnessBoard(Schema):
    """Runs that differ in nothing but model and thinking level."""

    key: str = Field(description="Value of the parameter `board` that shows it")
    tasks: _Tasks
    is_whole: bool = Field(description="Whether it asks every task that comes with Assay")
    data: FreeText
    samples: int
    temperature: float | None
    options: tuple[FreeText, ...] = Field(description="Options of the benchmark, such as `include-tests`")
    runs: int = Field(description="Number of runs")
    models: tuple[HarnessRow, ...] = Field(description="The best first")
    unranked: tuple[HarnessUnranked, ...] = Field(description="Evaluations that are not ranked, and why")


class HarnessLeaderboard(Schema):
    """`models` are the rows of one board: the one asked for, else that of all tasks with the most runs."""

    models: tuple[HarnessRow, ...] = Field(description="One entry for each model and level, the best first")
    board: str | None = Field(description="The key of the board of `models`; null while there is none")
    boards: tuple[HarnessBoard, ...] = Field(description="All boards, those of all tasks first")


class HarnessRemoved(Schema):
    model_id: _Model
    thinking_level: _AppliedLevel
    removed_runs: int = Field(description="Number of deleted runs")
    status: Literal["removed", "already_missing"] = Field(description="Whether there was anything to delete")


class HarnessPricing(Schema):
    """The current price."""

    prompt: float = Field(description="USD per token of the prompt")
    completion: float = Field(description="USD per token of the reply")


class HarnessCapabilities(Schema):
    """What OpenRouter's list says about a model."""

    model_id: _Model
    supports_thinking: bool = Field(description="Whether a thinking level has an effect")
    thinking_variant: FreeText | None = Field(
        description="The same model with thinking, as listed; null if it is not"
    )
    supported_parameters: tuple[str, ...] = Field(description="Fields of a request that the model heeds")
    suggested_levels: tuple[str, ...] = Field(description="Thinking levels to choose from")
    supports_budget_tokens: bool = Field(description="Whether `budget_tokens=N` is a thinking level")
    supports_budget_seconds: bool = Field(description="Always false: no request can limit the time")
    context_length: int | None = _CONTEXT
    pricing: HarnessPricing | None = Field(description="Price per token; null if it is unknown")

    @classmethod
    def of(cls, model_id: str, listed: ListedModel, variant: str | None) -> Self:
        price, is_thinking = listed.price, "reasoning" in listed.supported_parameters
        return cls(
            model_id=model_id,
            supports_thinking=is_thinking,
            thinking_variant=variant,
            supported_parameters=listed.supported_parameters,
            suggested_levels=_LEVELS if is_thinking else (),
            supports_budget_tokens=is_thinking,
            supports_budget_seconds=False,
            context_length=listed.context_tokens,
            pricing=None
            if price is None
            else HarnessPricing(
                prompt=float(price.input_usd_per_million / _MILLION),
                completion=float(price.output_usd_per_million / _MILLION),
            ),
        )


class LmStudioModel(Schema):
    id: FreeText = Field(description="Name in LM Studio")
    model_id: _Model
    name: FreeText
    is_loaded: bool = Field(description="Whether it is in memory")
    size_bytes: int | None = Field(description="Size of its files; null if LM Studio does not say")
    context_length: int | None = _CONTEXT

    @classmethod
    def of(cls, one: LocalModel) -> Self:
        return cls(
            id=one.key,
            model_id=f"{LM_STUDIO}/{one.key}",
            name=one.name,
            is_loaded=one.is_loaded,
            size_bytes=one.size_bytes,
            context_length=one.context_tokens,
        )


class LmStudioModels(Schema):
    models: tuple[LmStudioModel, ...] = Field(description="One entry for each model that answers chats")


class LmStudioSwitch(Body):
    model_id: Id = Field(description="Name of the model, with or without `lmstudio/`")


class LmStudioSwitched(Schema):
    model_id: _Model
    status: Literal["loaded"] = Field(default="loaded", description="Always the same")


class HarnessRunsQuery(BaseModel):
    limit: int = Field(default=50, ge=1, le=200)
