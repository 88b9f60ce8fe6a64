"""How a run calls its models, as responses: what the `config` of a request says, as it was stored."""

from pathlib import Path
from typing import Self

from pydantic import Field, JsonValue

from assay.adapters.models.providers import shown_url
from assay.api.schemas.fields import FreeText, Schema, json_object
from assay.domain.agent import OwnAgent
from assay.domain.composite import Part
from assay.domain.judging import Judging
from assay.domain.run import RunSpec
from assay.domain.stopping import StopRule, Until

_ADDRESS = "Address that was given, without user, password and query; null for the provider's"


class JudgeSettings(Schema):
    """The models that grade; null means the benchmark's own setting."""

    models: tuple[FreeText, ...]
    votes: int = Field(description="How often each judges an answer")
    temperature: float | None
    max_tokens: int | None
    timeout_s: float = Field(description="Timeout of one call")
    base_url: FreeText | None = Field(description=_ADDRESS)

    @classmethod
    def of(cls, judging: Judging) -> Self:
        return cls(
            models=judging.models,
            votes=judging.votes,
            temperature=judging.generation.temperature,
            max_tokens=judging.generation.max_tokens,
            timeout_s=judging.timeout_s,
            base_url=_address(judging.base_url),
        )


class AgentSettings(Schema):
    """An agent of the caller's, which works in the containers of tasks."""

    command: FreeText = Field(description="Run by the shell of each task's container")
    folder: FreeText | None = Field(description="Name of the folder that the containers have as /agent")
    max_calls: int | None = Field(description="Most calls of one attempt; null for no limit")
    max_tokens: int | None = Field(description="Most tokens of one attempt; null for no limit")
    max_usd: float | None = Field(description="USD after which an attempt gets no answer; null for no limit")

    @classmethod
    def of(cls, agent: OwnAgent) -> Self:
        limits = agent.limits
        return cls(
            command=agent.command,
            folder=None if agent.folder is None else Path(agent.folder).name,
            max_calls=limits.calls,
            max_tokens=limits.tokens,
            max_usd=None if limits.usd is None else float(limits.usd),
        )


class StopSettings(Schema):
    """The rule by which a run ends before all of its items are asked."""

    margin: float = Field(description="A smaller difference does not matter; 0.01 is one point")
    alpha: float = Field(description="Chance that anything claimed of the run is wrong")
    until: Until = Field(
        description="What has to be certain: any verdict, equivalence or not, or the better one"
    )
    bar: float | None = Field(description="What each score is held against; null for a comparison of models")

    @classmethod
    def of(cls, rule: StopRule) -> Self:
        return cls(margin=rule.margin, alpha=rule.alpha, until=rule.until, bar=rule.bar)


class RunSettings(Schema):
    """How the models are called; null means what each benchmark asks for."""

    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    reasoning_effort: FreeText | None
    system: FreeText | None = Field(description="Put before the messages of the benchmark")
    stop: tuple[FreeText, ...]
    model_seed: int | None = Field(description="Seed of the models' sampling")
    options: dict[str, JsonValue] = Field(description="Further fields of the request body")
    headers: tuple[str, ...] = Field(description="Names of further headers; their values are not shown")
    timeout_s: float | None = Field(description="Timeout of one call")
    retries: int | None = Field(description="Most retries of a failed call")
    logprobs: bool = Field(description="Whether log-probabilities of tokens are asked for")
    few_shot: int | None = Field(description="Examples before a question, where there are some")
    base_url: FreeText | None = Field(description=_ADDRESS)
    base_urls: dict[str, FreeText] = Field(description="Addresses of single models, likewise")
    judge: JudgeSettings | None
    user_model: FreeText | None = Field(description="Model that plays the user, where a benchmark has one")
    agent: AgentSettings | None = Field(description="The caller's own agent; null for the built-in one")
    weights: dict[str, float] = Field(description="Of the parts of the composite; together 100")
    minimum_quality: float = Field(description="Least quality for speed, cost and streaming to count")
    warmup: int = Field(description="Requests to each model before the first item, not scored")
    reuse: bool = Field(description="Whether the answers of earlier runs are taken instead of asking again")

    @classmethod
    def of(cls, spec: RunSpec) -> Self:
        generation, weights = spec.generation, spec.composite.weights
        return cls(
            temperature=generation.temperature,
            top_p=generation.top_p,
            max_tokens=generation.max_tokens,
            reasoning_effort=generation.reasoning_effort,
            system=generation.system,
            stop=generation.stop,
            model_seed=generation.seed,
            options=json_object(generation.options),
            headers=tuple(spec.headers),
            timeout_s=generation.timeout_s,
            retries=generation.retries,
            logprobs=bool(generation.logprobs),
            few_shot=spec.few_shot,
            base_url=_address(spec.base_url),
            base_urls={
                model: shown_url(own.base_url) for model, own in spec.endpoints.items() if own.base_url
            },
            judge=None if spec.judge is None else JudgeSettings.of(spec.judge),
            user_model=None if spec.user_model is None else ", ".join(spec.user_model.models),
            agent=None if spec.agent is None else AgentSettings.of(spec.agent),
            weights={part.value: weights.of(part) for part in Part},
            minimum_quality=spec.composite.minimum_quality,
            warmup=spec.warmup,
            reuse=spec.reuse,
        )


def _address(base_url: str | None) -> str | None:
    return None if base_url is None else shown_url(base_url)
