"""The estimated tokens, cost and duration of a run, as responses."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Schema, Seconds
from assay.engine.planning import estimate


class TokenRange(Schema):
    low: int
    high: int

    @classmethod
    def of(cls, tokens: estimate.Range) -> Self:
        return cls(low=tokens.low, high=tokens.high)


class CostRange(Schema):
    low: float
    high: float


class JudgeEstimate(Schema):
    """The estimate for judging the answers, apart from the answers themselves."""

    calls: int
    input_tokens: TokenRange
    output_tokens: TokenRange
    cost_usd: CostRange | None

    @classmethod
    def of(cls, one: estimate.JudgeEstimate) -> Self:
        low, high = one.cost_usd or (None, None)
        return cls(
            calls=one.calls,
            input_tokens=TokenRange.of(one.input_tokens),
            output_tokens=TokenRange.of(one.output_tokens),
            cost_usd=None if low is None or high is None else CostRange(low=float(low), high=float(high)),
        )


class EvaluationEstimate(Schema):
    """The estimate for one model on one benchmark; `cost_usd` is null if the price is unknown."""

    model: FreeText
    benchmark: str
    attempts: int
    input_tokens: TokenRange
    output_tokens: TokenRange
    cost_usd: CostRange | None
    judging: JudgeEstimate | None

    @classmethod
    def of(cls, one: estimate.Estimate) -> Self:
        return cls(
            model=one.model,
            benchmark=one.benchmark,
            attempts=one.attempts,
            input_tokens=TokenRange.of(one.input_tokens),
            output_tokens=TokenRange.of(one.output_tokens),
            cost_usd=_cost([one]),
            judging=JudgeEstimate.of(one.judging) if one.judging else None,
        )


class RunEstimate(Schema):
    """`items` counts each item once per model; `cost_usd` is null if any price is unknown."""

    items: int
    attempts: int
    input_tokens: TokenRange
    output_tokens: TokenRange
    cost_usd: CostRange | None
    duration_s: Seconds | None = Field(
        description="From earlier runs; null if a model was never measured on a benchmark"
    )
    evaluations: tuple[EvaluationEstimate, ...]

    @classmethod
    def of(cls, estimates: Sequence[estimate.Estimate], *, samples: int, duration_s: Seconds | None) -> Self:
        nothing = estimate.Range(0, 0)
        attempts = sum(one.attempts for one in estimates)
        return cls(
            items=attempts // samples,
            attempts=attempts,
            input_tokens=TokenRange.of(sum((one.input_tokens for one in estimates), nothing)),
            output_tokens=TokenRange.of(sum((one.output_tokens for one in estimates), nothing)),
            cost_usd=_cost(estimates),
            duration_s=duration_s,
            evaluations=tuple(EvaluationEstimate.of(one) for one in estimates),
        )


def _cost(estimates: Sequence[estimate.Estimate]) -> CostRange | None:
    costs = [one.cost_usd for one in estimates if one.cost_usd is not None]
    if len(costs) < len(estimates):
        return None
    low, high = (sum((cost[side] for cost in costs), Decimal(0)) for side in (0, 1))
    return CostRange(low=float(low), high=float(high))
