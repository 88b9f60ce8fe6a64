"""The result of an evaluation: a score with its denominator, its interval and what is missing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate

Percentiles = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Sums over the attempts whose usage is known; `unknown` counts the others."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """The score if every missing attempt were wrong, and if every one were right."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class VoteAgreement:
    """How far the votes of judges agree on each answer that got two or more.

    `alpha` is Krippendorff's, None where the votes never vary; `unanimous` is the share of answers without a
    dissenting vote. `failed` counts votes that were asked for and not given.
    """

    alpha: float | None
    unanimous: float
    answers: int
    votes: int
    failed: int


@dataclass(frozen=True, slots=True)
class Summary:
    """`score` is None where no attempt has a verdict; `cost_usd` is None where any part of it is unknown."""

    score: Estimate | None
    scored: int
    total: int
    outcomes: Mapping[Outcome, int]
    bounds: Bounds | None
    cut: int
    tokens: Tokens
    cost_usd: Decimal | None
    judge_cost_usd: Decimal | None = None
    judge_tokens: Tokens | None = None
    agreement: VoteAgreement | None = None
    retried: int = 0
    metrics: Mapping[str, Estimate] = field(default_factory=dict[str, Estimate])
    categories: Mapping[str, Estimate] = field(default_factory=dict[str, Estimate])
    latency: Mapping[str, Percentiles] = field(default_factory=dict[str, Percentiles])
    duration_s: float | None = None

    @property
    def unparsed(self) -> int:
        return self.outcomes.get(Outcome.UNPARSED, 0)
