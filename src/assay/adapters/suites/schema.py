"""What stands in a suite, field by field; the JSON Schema for editors is made from it."""

from decimal import Decimal
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from assay.domain.calls.messages import MAX_RETRIES, MAX_STOPS, MAX_SYSTEM_LENGTH, MAX_TIMEOUT_S
from assay.domain.composite import DEFAULT_MINIMUM_QUALITY, Part
from assay.domain.judging import DEFAULT_TIMEOUT_S, MAX_JUDGES, MAX_VOTES
from assay.domain.run import (
    DEFAULT_SEED,
    MAX_EXAMPLES,
    MAX_NAME_LENGTH,
    MAX_NOTE_LENGTH,
    MAX_SAMPLES,
    MAX_SEED_LENGTH,
    MAX_TAGS,
    MAX_WARMUP,
)
from assay.domain.stopping import DEFAULT_ALPHA, DEFAULT_MARGIN, Until

MAX_ENTRIES = 200
_MAX_CONNECTIONS = 10_000
_MAX_TOKENS = 10**12
_MAX_ITEMS = 10**9

Text = Annotated[str, Field(min_length=1, max_length=2_000)]
Texts = Annotated[list[Text], Field(min_length=1, max_length=MAX_ENTRIES)]
Share = Annotated[float, Field(ge=0, le=1)]
Tokens = Annotated[int, Field(ge=1, le=_MAX_TOKENS)]
Usd = Annotated[Decimal, Field(gt=0, le=10**9)]
Samples = Annotated[int, Field(ge=1, le=MAX_SAMPLES)]
Seed = Annotated[str, Field(min_length=1, max_length=MAX_SEED_LENGTH)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SettingsTable(_Table):
    """What is sent to a model; the benchmark provides what is left out."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Tokens | None = Field(default=None, description="Cap on the tokens of a reply")
    reasoning_effort: Text | None = None
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = Field(
        default=None, description="Seed of the model's sampling"
    )
    stop: Annotated[list[Text], Field(max_length=MAX_STOPS)] | None = Field(
        default=None, description="Texts that end a reply"
    )
    system: Annotated[str, Field(min_length=1, max_length=MAX_SYSTEM_LENGTH)] | None = Field(
        default=None, description="System prompt, before what the benchmark says"
    )
    options: dict[str, Any] | str | None = Field(
        default=None, description="Further fields of the request body; a text holds them as JSON"
    )
    headers: dict[str, str] | None = Field(
        default=None, description="Headers of every request; `${NAME}` is read when a call is made"
    )
    timeout_s: Annotated[float, Field(gt=0, le=MAX_TIMEOUT_S)] | None = Field(
        default=None, description="Seconds until a call is given up"
    )
    retries: Annotated[int, Field(ge=0, le=MAX_RETRIES)] | None = Field(
        default=None, description="Most retries of a failed call"
    )
    logprobs: bool | None = Field(
        default=None, description="Whether to ask for the log-probabilities of the reply's tokens"
    )


class PriceTable(_Table):
    """USD per million tokens, where the endpoint lists no price."""

    input: Annotated[Decimal, Field(ge=0)]
    output: Annotated[Decimal, Field(ge=0)]


class ModelTable(_Table):
    """A model, and how it is called."""

    model: Text = Field(description="Name of the model, as provider/name")
    name: Text | None = Field(
        default=None, description="What the results call it; needed where a model is there twice"
    )
    base_url: Text | None = Field(default=None, description="Address of its endpoint")
    key_variable: Text | None = Field(
        default=None, description="Name of the environment variable that holds its key"
    )
    price: PriceTable | None = None
    settings: SettingsTable = Field(
        default=SettingsTable(), description="In place of the suite's, field by field"
    )


class BenchmarkTable(_Table):
    """A benchmark, and which of its items are asked."""

    name: Text = Field(description="As `assay benchmarks` lists, dataset:NAME, or a file such as ./mine.py")
    variants: Texts | None = Field(default=None, description="Run these variants in place of the benchmark")
    count: Annotated[int, Field(ge=1, le=_MAX_ITEMS)] | None = Field(
        default=None, description="Number of items"
    )
    percent: Annotated[int, Field(ge=1, le=100)] | None = Field(default=None, description="Of the items")
    items: Annotated[list[Text], Field(min_length=1, max_length=10_000)] | None = Field(
        default=None, description="Ids of the only items to ask"
    )
    seed: Seed | None = Field(default=None, description="Which items a subset takes")
    samples: Samples | None = Field(default=None, description="Attempts per item")
    few_shot: Annotated[int, Field(ge=0, le=MAX_EXAMPLES)] | None = Field(
        default=None, description="Examples before a question, where the benchmark has some"
    )
    data: Text | None = Field(default=None, description="official, demo, or a file or folder")


class JudgeTable(_Table):
    """The models that grade judged benchmarks."""

    models: Annotated[list[Text], Field(min_length=1, max_length=MAX_JUDGES)]
    votes: int = Field(default=1, ge=1, le=MAX_VOTES, description="How often each judges an answer")
    base_url: Text | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Tokens | None = None
    timeout_s: float = Field(default=DEFAULT_TIMEOUT_S, gt=0, le=3_600)


class AgentTable(_Table):
    """Your own agent, for benchmarks whose tasks run in containers."""

    command: Text
    folder: Text | None = Field(default=None, description="Copied into each container as /agent")
    max_calls: Tokens | None = None
    max_tokens: Tokens | None = None
    max_usd: Usd | None = None


class BudgetTable(_Table):
    """What all runs of the suite together may use; results that are there already cost nothing."""

    usd: Usd | None = None
    tokens: Tokens | None = None


class RulesTable(_Table):
    """What is demanded of a score; shares are from 0 to 1."""

    max_drop: Share | None = Field(default=None, description="Smaller drops are no regression; 0.02")
    min_score: Share | None = Field(default=None, description="Least score, judged by its interval")
    threshold: Share | None = Field(default=None, description="Least score, whatever its interval")
    min_scored: Share | None = Field(default=None, description="Least share of attempts with a verdict")
    max_cost_usd: Annotated[float, Field(ge=0)] | None = None
    max_ttft_p90_ms: Annotated[float, Field(ge=0)] | None = None


class GateTable(RulesTable):
    """What decides whether the suite passes, as for `assay gate`."""

    baseline: Text | None = Field(
        default=None, description="What to compare with: a run's id, or a signed export"
    )
    keys: list[Text] = Field(
        default=[], max_length=MAX_ENTRIES, description="Keys that the export must be signed with"
    )
    required: list[Text] = Field(
        default=[], max_length=MAX_ENTRIES, description="Benchmarks that must be there"
    )
    benchmarks: dict[str, RulesTable] = Field(default={}, description="Rules for single benchmarks")


class StopTable(_Table):
    """When the runs end before all items are asked: once what they are for is certain."""

    bar: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        default=None, description="Score that each model is held against, in place of the other models"
    )
    until: Until = Field(default="decided", description="What must be certain of two models")
    margin: Annotated[float, Field(gt=0, lt=1)] = Field(
        default=DEFAULT_MARGIN, description="A smaller difference does not matter; 0.01 is one point"
    )
    alpha: Annotated[float, Field(gt=0, lt=1)] = Field(
        default=DEFAULT_ALPHA, description="Chance that anything claimed of a run is wrong"
    )


def _kind_of_stop(value: object) -> str:
    return "table" if isinstance(value, dict | StopTable) else "text"


StopGiven = Annotated[
    Annotated[StopTable, Tag("table")] | Annotated[Text, Tag("text")], Discriminator(_kind_of_stop)
]


class CompositeTable(_Table):
    """How the composite of a run is computed; no score depends on it."""

    weights: dict[Part, Annotated[float, Field(ge=0, le=100)]] = Field(
        default={}, description="Points of its parts, together 100"
    )
    minimum_quality: Share = DEFAULT_MINIMUM_QUALITY


class SuiteTable(_Table):
    """Models and benchmarks to run, and what is demanded of the scores."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)] | None = Field(
        default=None, description="By default the name of the file; the runs have the tag suite:NAME"
    )
    note: Annotated[str, Field(max_length=MAX_NOTE_LENGTH)] = ""
    tags: Annotated[list[Text], Field(max_length=MAX_TAGS - 1)] = []
    data: Text = Field(default="official", description="For benchmarks that name no data of their own")
    samples: Samples = Field(default=1, description="For benchmarks that name no number of their own")
    seed: Seed = Field(default=DEFAULT_SEED, description="For benchmarks that name no seed of their own")
    max_connections: Annotated[int, Field(ge=1, le=_MAX_CONNECTIONS)] | None = Field(
        default=None, description="Most calls to an endpoint at once"
    )
    warmup: int = Field(
        default=0, ge=0, le=MAX_WARMUP, description="Requests to each model first; not scored"
    )
    user_model: Text | None = Field(
        default=None, description="Model that plays the user, where a benchmark has one"
    )
    reuse: bool = Field(
        default=False, description="Take stored answers to the same requests instead of asking again"
    )
    stop: StopGiven | None = Field(
        default=None,
        description="When a run may end early: a text such as 'score > 0.8' or 'decided', or a table",
    )
    settings: SettingsTable = SettingsTable()
    models: Annotated[list[ModelTable], Field(min_length=1, max_length=MAX_ENTRIES)]
    benchmarks: Annotated[list[BenchmarkTable], Field(min_length=1, max_length=MAX_ENTRIES)]
    judge: JudgeTable | None = None
    agent: AgentTable | None = None
    budget: BudgetTable | None = None
    composite: CompositeTable | None = None
    gate: GateTable | None = None


def json_schema() -> dict[str, Any]:
    """For editors, which check and complete suites with it."""
    schema = _with_variables(SuiteTable.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Assay suite"}


def _with_variables(node: Any) -> Any:  # noqa: ANN401 # any part of a schema
    """A text with a variable may stand for a number, wherever there is one."""
    if isinstance(node, list):
        return list(map(_with_variables, cast("list[Any]", node)))
    if not isinstance(node, dict):
        return node
    table = cast("dict[str, Any]", node)
    if table.get("type") in ("integer", "number"):
        said = {name: table[name] for name in ("title", "description", "default") if name in table}
        number = {name: value for name, value in table.items() if name not in said}
        return {"anyOf": [number, {"type": "string", "pattern": r"\$\{"}], **said}
    return {name: _with_variables(value) for name, value in table.items()}
