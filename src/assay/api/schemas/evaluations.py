"""Evaluations as responses; every score comes with its interval and its denominator."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Literal, Self

from pydantic import Field, JsonValue

from assay.api.schemas.fields import FreeText, Moment, Schema, StoredMessage, json_object
from assay.domain import run, stats, stopping, summary
from assay.domain.calls import messages, pricing
from assay.domain.outcome import Outcome, scored_count
from assay.domain.run import State


class Interval(Schema):
    low: float
    high: float
    method: stats.IntervalMethod
    level: float

    @classmethod
    def of(cls, interval: stats.Interval) -> Self:
        return cls(low=interval.low, high=interval.high, method=interval.method, level=interval.level)


class Estimate(Schema):
    """A mean of `n` values; `clusters` is null if the values are independent."""

    value: float
    interval: Interval | None
    standard_error: float | None
    n: int
    clusters: int | None

    @classmethod
    def of(cls, estimate: stats.Estimate) -> Self:
        return cls(
            value=estimate.value,
            interval=Interval.of(estimate.interval) if estimate.interval else None,
            standard_error=estimate.standard_error,
            n=estimate.n,
            clusters=estimate.clusters,
        )


class Progress(Schema):
    """Attempts that ended, out of all that are planned."""

    completed: int
    total: int


class Bounds(Schema):
    """The score if every missing attempt were wrong, and if every one were right."""

    low: float
    high: float


class Tokens(Schema):
    """Sums over the attempts whose usage is known; `unknown` counts the others."""

    input: int
    output: int
    reasoning: int
    unknown: int

    @classmethod
    def of(cls, tokens: summary.Tokens) -> Self:
        return cls(
            input=tokens.input, output=tokens.output, reasoning=tokens.reasoning, unknown=tokens.unknown
        )


class ResultWarning(Schema):
    """Why a score says little about the model."""

    code: Literal["most_unanswered", "many_errors"]
    message: str

    @classmethod
    def all_of(cls, found: summary.Summary) -> tuple[Self, ...]:
        return tuple(cls(code=one.code, message=one.message) for one in found.warnings)


class VoteAgreement(Schema):
    """How far the votes of judges agree; `alpha` is Krippendorff's, null if all votes are equal."""

    alpha: float | None
    unanimous: float
    answers: int
    votes: int
    failed: int

    @classmethod
    def of(cls, agreement: summary.VoteAgreement) -> Self:
        return cls(**asdict(agreement))


class Data(Schema):
    """The items of the run: `source` is `official`, `demo` or an uploaded data set."""

    source: FreeText
    revision: FreeText
    checksum: str


class Generation(Schema):
    """Settings sent to the model; null means the server's default."""

    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    reasoning_effort: str | None
    seed: int | None
    stop: tuple[FreeText, ...]
    system: FreeText | None = Field(default=None, description="Put before the messages of the benchmark")
    options: dict[str, JsonValue] = Field(default={}, description="Further fields of the request body")
    timeout_s: float | None = Field(default=None, description="Timeout of one call, where the run sets it")
    retries: int | None = Field(default=None, description="Most retries of a call, where the run sets them")
    logprobs: bool | None = Field(
        default=None, description="Whether log-probabilities of tokens are asked for, where the run says so"
    )

    @classmethod
    def of(cls, generation: messages.Generation) -> Self:
        values = generation.to_json()
        return cls.model_validate({**values, "options": json_object(generation.options)})


class Price(Schema):
    input_usd_per_million: float
    output_usd_per_million: float
    source: str

    @classmethod
    def of(cls, price: pricing.Price) -> Self:
        return cls(
            input_usd_per_million=float(price.input_usd_per_million),
            output_usd_per_million=float(price.output_usd_per_million),
            source=price.source,
        )


class Settled(Schema):
    """Beside another model, or beside the bar; decided `after` so many items."""

    against: FreeText = Field(description="The other model, or the bar")
    verdict: str = Field(description="better, worse or equivalent; above or below a bar")
    after: int = Field(description="Items of the order that it took")


class Stopped(Schema):
    """The first `after` of `items`, in the order asked, settled all comparisons of the evaluation."""

    after: int = Field(description="Items of the order that were needed")
    items: int = Field(description="Items that would have been asked")
    population: int = Field(description="Items of the benchmark, of which the decision says something")
    settled: tuple[Settled, ...] = Field(description="What was decided, one for each rival or for the bar")
    sentence: FreeText = Field(description="All of it in words")

    @classmethod
    def of(cls, found: stopping.Stopped) -> Self:
        settled = (
            Settled(against=one.against, verdict=one.verdict, after=one.after) for one in found.settled
        )
        return cls(
            after=found.after,
            items=found.items,
            population=found.population,
            settled=tuple(settled),
            sentence=found.sentence,
        )


class Evaluation(Schema):
    """One model on one benchmark; `cost_usd` is null if any part of it is unknown.

    Shares are out of the scored attempts, except `cut_share`, which is out of all that ended.
    """

    id: str
    model: FreeText
    benchmark: str
    version: str
    status: State
    fingerprint: str
    score: Estimate | None
    scored: int
    total: int
    progress: Progress
    outcomes: Mapping[Outcome, int]
    bounds: Bounds | None
    stopped: Stopped | None = Field(description="Why not all items were asked; the score covers the first")
    warnings: tuple[ResultWarning, ...] = Field(
        description="Most replies have no answer or were cut, or a third of the attempts ended in error"
    )
    truncated_share: float | None
    cut_share: float | None
    unparsed_share: float | None
    tokens: Tokens | None
    cost_usd: float | None
    judge_cost_usd: float | None
    data: Data
    error: StoredMessage | None
    started_at: Moment | None
    finished_at: Moment | None

    @classmethod
    def of(cls, evaluation: run.Evaluation, outcomes: Mapping[Outcome, int], *, source: str) -> Self:
        found = _current_summary(evaluation, outcomes)
        fingerprint = evaluation.fingerprint
        ended = sum(outcomes.values())
        return cls(
            id=evaluation.id,
            model=evaluation.model,
            benchmark=evaluation.benchmark,
            version=evaluation.benchmark_version,
            status=evaluation.state,
            fingerprint=fingerprint.value,
            score=Estimate.of(found.score) if found.score else None,
            scored=found.scored,
            total=found.total,
            progress=Progress(completed=ended, total=evaluation.total_attempts),
            outcomes=found.outcomes,
            bounds=Bounds(low=found.bounds.low, high=found.bounds.high) if found.bounds else None,
            stopped=Stopped.of(found.stopped) if found.stopped else None,
            warnings=ResultWarning.all_of(found),
            truncated_share=_share(found.outcomes.get(Outcome.TRUNCATED, 0), found.scored),
            cut_share=_share(found.cut, ended) if evaluation.summary else None,
            unparsed_share=_share(found.unparsed, found.scored),
            tokens=Tokens.of(found.tokens) if ended and evaluation.summary else None,
            cost_usd=usd(found.cost_usd),
            judge_cost_usd=usd(found.judge_cost_usd),
            data=Data(source=source, revision=fingerprint.data_revision, checksum=fingerprint.data_checksum),
            error=evaluation.error,
            started_at=evaluation.started_at,
            finished_at=evaluation.finished_at,
        )


class EvaluationDetail(Evaluation):
    """An evaluation with everything that is too long for a list."""

    metrics: Mapping[str, Estimate]
    categories: Mapping[str, Estimate]
    latency: Mapping[str, Mapping[str, float]]
    retried: int
    reused: int = Field(description="Attempts with an answer of an earlier run; they cost nothing here")
    with_logprobs: int = Field(description="Attempts whose reply came with log-probabilities")
    generation: Generation
    samples: int
    benchmark_size: int
    mode: str
    grader: str
    judge: FreeText | None
    agent: FreeText | None
    endpoint: FreeText | None = Field(
        description="Where the model answered; `local code` where a function of a Python program did"
    )
    judge_tokens: Tokens | None
    agreement: VoteAgreement | None
    price: Price | None

    @classmethod
    def of(cls, evaluation: run.Evaluation, outcomes: Mapping[Outcome, int], *, source: str) -> Self:
        found = _current_summary(evaluation, outcomes)
        return cls(
            **dict(Evaluation.of(evaluation, outcomes, source=source)),
            metrics={name: Estimate.of(metric) for name, metric in found.metrics.items()},
            categories={name: Estimate.of(category) for name, category in found.categories.items()},
            latency=found.latency,
            retried=found.retried,
            reused=found.reused,
            with_logprobs=found.with_logprobs,
            generation=Generation.of(evaluation.generation),
            samples=evaluation.samples,
            benchmark_size=evaluation.benchmark_size,
            mode=evaluation.fingerprint.mode,
            grader=evaluation.fingerprint.grader,
            judge=evaluation.fingerprint.judge,
            agent=evaluation.fingerprint.agent,
            endpoint=evaluation.endpoint,
            judge_tokens=Tokens.of(found.judge_tokens) if found.judge_tokens else None,
            agreement=VoteAgreement.of(found.agreement) if found.agreement else None,
            price=Price.of(evaluation.price) if evaluation.price else None,
        )


def usd(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _current_summary(evaluation: run.Evaluation, outcomes: Mapping[Outcome, int]) -> summary.Summary:
    """The last summary, with the current counts of attempts."""
    nothing = summary.Summary(
        score=None,
        scored=0,
        total=evaluation.total_attempts,
        outcomes={},
        bounds=None,
        cut=0,
        tokens=summary.Tokens(),
        cost_usd=None,
    )
    if evaluation.summary is not None and evaluation.summary.stopped is not None:
        # It leaves out what was answered beyond the decision.
        return evaluation.summary
    return replace(evaluation.summary or nothing, outcomes=outcomes, scored=scored_count(outcomes))
