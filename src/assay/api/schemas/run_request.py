"""The request that starts a run, in the extended contract of the bench runner."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, JsonValue, model_validator

from assay.api.schemas.fields import Body
from assay.api.schemas.stop_config import StopConfig
from assay.domain.access.visibility import Visibility
from assay.domain.agent import MAX_COMMAND_LENGTH, AgentLimits, OwnAgent
from assay.domain.calls.messages import MAX_RETRIES, MAX_STOPS, MAX_SYSTEM_LENGTH, MAX_TIMEOUT_S, Generation
from assay.domain.composite import DEFAULT_MINIMUM_QUALITY, WHOLE, CompositeRule, Weights
from assay.domain.errors import InvalidValueError
from assay.domain.judging import DEFAULT_TIMEOUT_S, MAX_JUDGES, MAX_VOTES, Judging
from assay.domain.run import (
    MAX_EXAMPLES,
    MAX_NAME_LENGTH,
    MAX_NOTE_LENGTH,
    MAX_SAMPLES,
    MAX_SEED_LENGTH,
    MAX_TAGS,
    MAX_WARMUP,
    Budget,
    Description,
)
from assay.engine.execution.queue import MAX_PRIORITY

# Far beyond any real request, and small enough to store in 64 bits.
_MAX_TOKENS = 10**12
_MAX_ITEMS = 10**9
_MAX_CONNECTIONS = 10_000
_MAX_NAMES = 200
_MAX_NAMED_ITEMS = 10_000

# One folder's name, which leads nowhere else.
_AGENT_NAME = r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$"

Name = Annotated[str, Field(min_length=1, max_length=500)]
Names = Annotated[list[Name], Field(min_length=1, max_length=_MAX_NAMES)]
Connections = Annotated[int, Field(ge=1, le=_MAX_CONNECTIONS)]
Priority = Annotated[int, Field(ge=-MAX_PRIORITY, le=MAX_PRIORITY, description="Lower numbers run first")]
Usd = Annotated[float, Field(gt=0, le=1e9)]
Tokens = Annotated[int, Field(ge=1, le=_MAX_TOKENS)]


class JudgeConfig(Body):
    """The models that grade, and how they are called; several models form a panel."""

    models: Annotated[list[Name], Field(min_length=1, max_length=MAX_JUDGES)]
    votes: int = Field(default=1, ge=1, le=MAX_VOTES, description="How often each judges an answer")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: Tokens | None = None
    timeout_s: float = Field(default=DEFAULT_TIMEOUT_S, gt=0, le=3_600, description="Timeout of one call")
    base_url: Annotated[str, Field(min_length=1, max_length=2_000)] | None = Field(
        default=None, description="Like `config.base_url`, for the judges"
    )

    def judging(self) -> Judging:
        return Judging(
            models=tuple(dict.fromkeys(name.strip() for name in self.models)),
            votes=self.votes,
            generation=Generation(temperature=self.temperature, max_tokens=self.max_tokens),
            base_url=self.base_url,
            timeout_s=self.timeout_s,
        )


class AgentConfig(Body):
    """An agent of the caller's, which works in the containers of tasks in place of the built-in one."""

    command: Annotated[str, Field(min_length=1, max_length=MAX_COMMAND_LENGTH)] = Field(
        description="Run by the shell of each task's container; stored and shown with the run"
    )
    folder: Annotated[str, Field(pattern=_AGENT_NAME)] | None = Field(
        default=None,
        description="Name of a folder that the operator has put into `agents` of the data folder;"
        " the containers have its files as /agent",
    )
    max_calls: Tokens | None = Field(default=None, description="Most calls of one attempt")
    max_tokens: Tokens | None = Field(default=None, description="Most tokens of one attempt")
    max_usd: Usd | None = Field(default=None, description="No call is answered once an attempt has cost this")

    def agent(self, folders: Path | None) -> OwnAgent:
        """Raises InvalidValueError if there is no such folder."""
        usd = None if self.max_usd is None else Decimal(str(self.max_usd))
        limits = AgentLimits(self.max_calls, self.max_tokens, usd)
        if self.folder is None:
            return OwnAgent(self.command, limits=limits)
        if folders is None or not (folders / self.folder).is_dir():
            raise InvalidValueError(
                f"there is no agent {self.folder!r}: its folder belongs into agents/ of the data folder"
            )
        return OwnAgent(self.command, str(folders / self.folder), limits)


def parsed_judging(judge: JudgeConfig | str | None) -> Judging | None:
    """Parse either form in which a caller names judges."""
    if judge is None:
        return None
    if isinstance(judge, str):
        names = [name.strip() for name in judge.split(",") if name.strip()]
        return Judging(tuple(dict.fromkeys(names)))
    return judge.judging()


class WeightsConfig(Body):
    """What each part of the composite is worth; together 100."""

    quality: float = Field(default=40, ge=0, le=WHOLE)
    speed: float = Field(default=20, ge=0, le=WHOLE)
    cost: float = Field(default=15, ge=0, le=WHOLE)
    streaming: float = Field(default=15, ge=0, le=WHOLE)
    multimodal: float = Field(default=10, ge=0, le=WHOLE)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        try:
            self.weights()
        except InvalidValueError as error:
            raise ValueError(error.message) from error
        return self

    def weights(self) -> Weights:
        return Weights(**self.model_dump())


class RunConfig(Body):
    """How the models are called; the benchmark provides the defaults."""

    data: Literal["official", "demo"] = Field(
        default="official", description="`demo` means a few built-in items for trying things out"
    )
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: Tokens | None = None
    reasoning_effort: Annotated[str, Field(min_length=1, max_length=32)] | None = None
    system: Annotated[str, Field(min_length=1, max_length=MAX_SYSTEM_LENGTH)] | None = Field(
        default=None, description="System prompt, put before the messages of the benchmark"
    )
    stop: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        default=[], max_length=MAX_STOPS, description="Texts that end a reply"
    )
    model_seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = Field(
        default=None, description="Seed of the model's sampling; `subset_seed` chooses the items"
    )
    options: dict[Name, JsonValue] = Field(
        default={},
        max_length=_MAX_NAMES,
        description="Further fields of the request body, such as `top_k`; none that Assay sets itself",
    )
    timeout_s: float | None = Field(default=None, gt=0, le=MAX_TIMEOUT_S, description="Timeout of one call")
    retries: int | None = Field(
        default=None, ge=0, le=MAX_RETRIES, description="Most retries of a failed call"
    )
    logprobs: bool = Field(default=False, description="Ask for the log-probabilities of the reply's tokens")
    few_shot: int | None = Field(
        default=None, ge=0, le=MAX_EXAMPLES, description="Examples before a question, where there are some"
    )
    max_connections: Connections | None = Field(
        default=None, description="Concurrent calls, for the whole run"
    )
    judge: JudgeConfig | Name | None = Field(
        default=None,
        description="Models that grade judged benchmarks: names separated by commas, or an object",
    )
    user_model: Name | None = Field(
        default=None, description="Model that plays the user, where a benchmark has one"
    )
    agent: AgentConfig | None = Field(
        default=None, description="Your own agent, for benchmarks whose tasks run in containers"
    )
    budget_usd: Usd | None = Field(default=None, description="The run pauses when this amount is used")
    budget_tokens: Tokens | None = Field(default=None, description="The run pauses when this number is used")
    base_url: Annotated[str, Field(min_length=1, max_length=2_000)] | None = Field(
        default=None,
        description="Only for providers without a key, on hosts that the settings of the server allow",
    )
    base_urls: dict[Name, Annotated[str, Field(min_length=1, max_length=2_000)]] = Field(
        default={}, max_length=_MAX_NAMES, description="Like `base_url`, for single models of the run"
    )
    weights: WeightsConfig | None = Field(
        default=None, description="Of the parts of the composite; by default 40, 20, 15, 15 and 10"
    )
    minimum_quality: float = Field(
        default=DEFAULT_MINIMUM_QUALITY,
        ge=0,
        le=1,
        description="Least quality, corrected for guessing, for speed, cost and streaming to count",
    )
    warmup: int = Field(
        default=0, ge=0, le=MAX_WARMUP, description="Requests to each model before the first item, not scored"
    )
    reuse: bool = Field(
        default=False,
        description="Take stored answers to the same requests instead of asking again",
    )

    def generation(self) -> Generation:
        """Raises InvalidValueError for options that no request can have."""
        return Generation(
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            reasoning_effort=self.reasoning_effort,
            seed=self.model_seed,
            stop=tuple(self.stop),
            system=self.system,
            options=self.options,
            timeout_s=self.timeout_s,
            retries=self.retries,
            logprobs=self.logprobs or None,
        )

    def composite(self) -> CompositeRule:
        weights = Weights() if self.weights is None else self.weights.weights()
        return CompositeRule(weights, self.minimum_quality)


class RunRequest(Body):
    """Models and benchmarks; use `model_id` for one model or `models` for several."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "models": ["sim/good", "sim/weak"],
                    "selected_benchmarks": ["mmlu_pro"],
                    "config": {"data": "demo"},
                }
            ]
        }
    )

    visibility: Visibility = Field(default=Visibility.TEAM, strict=False, description="Who sees the run")
    model_id: Name | None = Field(
        default=None,
        description="Name of a model, such as `sim/good`; or the slug or chute id of a registered model",
    )
    models: Names | None = None
    provider: Name | None = Field(default=None, description="The prefix of the model, if its name has none")
    selected_benchmarks: Names | None = Field(
        default=None,
        description="By default every installed benchmark except variants; judged ones only with a judge",
    )
    benchmark_names: Names | None = Field(default=None, description="Alias of `selected_benchmarks`")
    subset_pct: int = Field(default=100, ge=1, le=100)
    subset_count: int | None = Field(
        default=None, ge=1, le=_MAX_ITEMS, description="Takes precedence over `subset_pct`"
    )
    subset_seed: Annotated[str, Field(min_length=1, max_length=MAX_SEED_LENGTH)] | None = Field(
        default=None, description="By default always the same, so that runs get the same items"
    )
    items: Annotated[list[Name], Field(max_length=_MAX_NAMED_ITEMS)] = Field(
        default=[], description="Ids of the only items to ask, instead of a subset; empty for all"
    )
    samples: int = Field(default=1, ge=1, le=MAX_SAMPLES, description="Attempts at each item")
    stop: StopConfig | None = Field(
        default=None,
        description="End the run once what it was started for is certain; default: ask all items",
    )
    priority: Priority = 0
    config: RunConfig | None = None

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.model_id is None) == (self.models is None):
            raise ValueError("give either model_id or models")
        if self.selected_benchmarks is not None and self.benchmark_names is not None:
            raise ValueError("give either selected_benchmarks or benchmark_names")
        return self

    @property
    def requested_models(self) -> list[str]:
        return self.models or [self.model_id or ""]

    @property
    def requested_benchmarks(self) -> list[str] | None:
        return self.selected_benchmarks or self.benchmark_names


class RunChange(Body):
    """Settings that may change while a run is executed, and its description, which always may.

    At least one is required. Null for `max_connections` means the server's default; for the others it means
    no change.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"priority": -1, "max_connections": 8}]})

    priority: Priority | None = None
    max_connections: Connections | None = None
    budget_usd: Usd | None = None
    budget_tokens: Tokens | None = None
    name: str | None = Field(default=None, max_length=MAX_NAME_LENGTH, description="Empty for no name")
    note: str | None = Field(default=None, max_length=MAX_NOTE_LENGTH, description="Empty for no note")
    tags: list[str] | None = Field(
        default=None, max_length=MAX_TAGS, description="All tags of the run, in place of those before"
    )
    is_archived: bool | None = None
    visibility: Visibility | None = Field(default=None, strict=False, description="Who sees the run")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_dump(exclude_none=True) and "max_connections" not in self.model_fields_set:
            raise ValueError(f"give at least one of {', '.join(type(self).model_fields)}")
        return self

    @property
    def shown(self) -> str:
        """What is changed, for the audit log; texts of users are left out."""
        fields = sorted(self.model_fields_set - {"visibility", "is_archived"})
        if self.visibility is not None:
            fields.append(f"visibility={self.visibility.value}")
        if self.is_archived is not None:
            fields.append("archived" if self.is_archived else "not archived")
        return " ".join(fields)

    @property
    def is_description(self) -> bool:
        """Whether it changes nothing that matters to the execution."""
        return self.model_fields_set <= {"name", "note", "tags", "is_archived", "visibility"}

    def description(self, before: Description) -> Description:
        """What is not given stays as it is."""
        return Description.of(
            before.name if self.name is None else self.name,
            before.note if self.note is None else self.note,
            before.tags if self.tags is None else self.tags,
            is_archived=before.is_archived if self.is_archived is None else self.is_archived,
            visibility=self.visibility or before.visibility,
        )

    def budget(self, before: Budget) -> Budget:
        """The new budget of the run; limits that are not given stay as they are."""
        usd = before.usd if self.budget_usd is None else Decimal(str(self.budget_usd))
        return Budget(usd, before.tokens if self.budget_tokens is None else self.budget_tokens)
