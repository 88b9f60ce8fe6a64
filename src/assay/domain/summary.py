"""The result of an evaluation: a score with its denominator, its interval and what is missing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate
from assay.domain.stopping import Stopped

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
    # Mean variance between the samples of one item; None where no item has two verdicts.
    within_variance: float | None = None
    retried: int = 0
    # Attempts with an answer of an earlier evaluation, which took no calls and cost nothing here.
    reused: int = 0
    # Attempts whose reply came with log-probabilities.
    with_logprobs: int = 0
    metrics: Mapping[str, Estimate] = field(default_factory=dict[str, Estimate])
    categories: Mapping[str, Estimate] = field(default_factory=dict[str, Estimate])
    latency: Mapping[str, Percentiles] = field(default_factory=dict[str, Percentiles])
    duration_s: float | None = None
    # Set if the evaluation ended before all items were asked; the score then covers those asked first.
    stopped: Stopped | None = None

    @property
    def unparsed(self) -> int:
        return self.outcomes.get(Outcome.UNPARSED, 0)

    @property
    def warnings(self) -> tuple["ResultWarning", ...]:
        return result_warnings(self.outcomes, cut=self.cut)


_NO_ANSWER = (Outcome.UNPARSED, Outcome.TRUNCATED, Outcome.REFUSED)
_MOST = 0.5
MANY_ERRORS = 1 / 3


@dataclass(frozen=True, slots=True)
class ResultWarning:
    """Why a score says little about the model."""

    code: Literal["most_unanswered", "many_errors"]
    message: str


def result_warnings(
    outcomes: Mapping[Outcome, int], *, cut: int = 0, error_share: float = MANY_ERRORS
) -> tuple[ResultWarning, ...]:
    """Warn if most replies have no answer or are among the `cut` ones, or if attempts ended in error.

    Errors count if they are at least `error_share` of the attempts.
    """
    found: list[ResultWarning] = []
    replies = sum(count for outcome, count in outcomes.items() if outcome.is_final)
    doubtful = {outcome.value: outcomes[outcome] for outcome in _NO_ANSWER if outcomes.get(outcome)}
    what = "replies have no answer"
    # Attempts that ended in error may have been cut as well.
    graded = min(cut - outcomes.get(Outcome.TRUNCATED, 0), replies - sum(doubtful.values()))
    if graded > 0:
        doubtful["cut but graded"] = graded
        what += " or were cut"
    if sum(doubtful.values()) > _MOST * replies:
        found.append(ResultWarning("most_unanswered", _said(doubtful, replies, what)))
    errors = {outcome.value: count for outcome, count in outcomes.items() if count and not outcome.is_final}
    attempts = sum(outcomes.values())
    if errors and sum(errors.values()) >= error_share * attempts:
        found.append(ResultWarning("many_errors", _said(errors, attempts, "attempts ended in error")))
    return tuple(found)


def _said(counts: Mapping[str, int], whole: int, what: str) -> str:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
    return f"{sum(counts.values()):,} of {whole:,} {what} ({kinds})"
