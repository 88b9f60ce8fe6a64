"""What a caller sends to start a run: the bench runner's contract, extended."""

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from assay.api.schemas.fields import Body
from assay.domain.judging import DEFAULT_TIMEOUT_S, MAX_JUDGES, MAX_VOTES, Judging
from assay.domain.messages import Generation
from assay.domain.run import MAX_SAMPLES, MAX_SEED_LENGTH, Budget
from assay.engine.execution.queue import MAX_PRIORITY

# Bounds that nobody reaches on purpose; beyond 64 bits a number could not be stored.
_MOST_TOKENS = 10**12
_MOST_ITEMS = 10**9
_MOST_CONNECTIONS = 10_000
_MOST_NAMES = 200

Name = Annotated[str, Field(min_length=1, max_length=500)]
Names = Annotated[list[Name], Field(min_length=1, max_length=_MOST_NAMES)]
Connections = Annotated[int, Field(ge=1, le=_MOST_CONNECTIONS)]
Priority = Annotated[int, Field(ge=-MAX_PRIORITY, le=MAX_PRIORITY, description="Lower numbers run first")]
Usd = Annotated[float, Field(gt=0, le=1e9)]
Tokens = Annotated[int, Field(ge=1, le=_MOST_TOKENS)]


class JudgeConfig(Body):
    """Which models grade, how often each is asked, and how; several models are a panel."""

    models: Annotated[list[Name], Field(min_length=1, max_length=MAX_JUDGES)]
    votes: int = Field(default=1, ge=1, le=MAX_VOTES, description="How often each is asked about an answer")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: Tokens | None = None
    timeout_s: float = Field(default=DEFAULT_TIMEOUT_S, gt=0, le=3_600, description="Of one call")
    base_url: Annotated[str, Field(min_length=1, max_length=2_000)] | None = Field(
        default=None, description="As `config.base_url`, for the judges"
    )

    def judging(self) -> Judging:
        return Judging(
            models=tuple(dict.fromkeys(name.strip() for name in self.models)),
            votes=self.votes,
            generation=Generation(temperature=self.temperature, max_tokens=self.max_tokens),
            base_url=self.base_url,
            timeout_s=self.timeout_s,
        )


def asked_judging(judge: JudgeConfig | str | None) -> Judging | None:
    """From either form in which a caller names judges."""
    if judge is None:
        return None
    if isinstance(judge, str):
        names = [name.strip() for name in judge.split(",") if name.strip()]
        return Judging(tuple(dict.fromkeys(names)))
    return judge.judging()


class RunConfig(Body):
    """How the models are asked; what is left out is the benchmark's own setting."""

    data: Literal["official", "demo"] = Field(
        default="official", description="`demo` asks a few items of our own, for trying things out"
    )
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: Tokens | None = None
    reasoning_effort: Annotated[str, Field(min_length=1, max_length=32)] | None = None
    max_connections: Connections | None = Field(default=None, description="Calls at once, for the whole run")
    judge: JudgeConfig | Name | None = Field(
        default=None,
        description="Models that grade judged benchmarks: names with commas between, or an object",
    )
    budget_usd: Usd | None = Field(default=None, description="The run pauses when it is used up")
    budget_tokens: Tokens | None = Field(default=None, description="The run pauses when they are used up")
    base_url: Annotated[str, Field(min_length=1, max_length=2_000)] | None = Field(
        default=None,
        description="Only for providers without a key, on hosts that the server's settings allow",
    )


class RunRequest(Body):
    """Models on benchmarks; `model_id` stands for one model, `models` for several."""

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

    model_id: Name | None = Field(
        default=None,
        description="Name of a model, such as `sim/good`; or the slug or chute id of a registered one",
    )
    models: Names | None = None
    provider: Name | None = Field(default=None, description="The model's prefix, where its name has none")
    selected_benchmarks: Names | None = Field(
        default=None,
        description="Left out: every installed benchmark that is no variant, judged ones only with a judge",
    )
    benchmark_names: Names | None = Field(default=None, description="Another name of `selected_benchmarks`")
    subset_pct: int = Field(default=100, ge=1, le=100)
    subset_count: int | None = Field(default=None, ge=1, le=_MOST_ITEMS, description="Wins over `subset_pct`")
    subset_seed: Annotated[str, Field(min_length=1, max_length=MAX_SEED_LENGTH)] | None = Field(
        default=None, description="Left out: always the same, so that runs meet the same items"
    )
    samples: int = Field(default=1, ge=1, le=MAX_SAMPLES, description="How often each item is asked")
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
    def asked_models(self) -> list[str]:
        return self.models or [self.model_id or ""]

    @property
    def asked_benchmarks(self) -> list[str] | None:
        return self.selected_benchmarks or self.benchmark_names


class RunChange(Body):
    """What may change while a run is executed; at least one of them.

    Null for `max_connections` is the server's default; for the others it is as if they were not given.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"priority": -1, "max_connections": 8}]})

    priority: Priority | None = None
    max_connections: Connections | None = None
    budget_usd: Usd | None = None
    budget_tokens: Tokens | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_dump(exclude_none=True) and "max_connections" not in self.model_fields_set:
            raise ValueError(f"give at least one of {', '.join(type(self).model_fields)}")
        return self

    def budget(self, before: Budget) -> Budget:
        """What the run may use from now on: each limit as given, else as before."""
        usd = before.usd if self.budget_usd is None else Decimal(str(self.budget_usd))
        return Budget(usd, before.tokens if self.budget_tokens is None else self.budget_tokens)
