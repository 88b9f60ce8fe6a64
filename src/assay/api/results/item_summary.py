"""Totals over the attempts of an evaluation, with the names of the contract."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from decimal import Decimal

from assay.api.schemas.evaluations import usd
from assay.api.schemas.items import ErrorCount, ItemSummary, error_text, latency_ms
from assay.domain.attempt import Attempt
from assay.domain.calls.pricing import Price
from assay.domain.outcome import Outcome


async def item_summary(attempts: AsyncIterator[Attempt], price: Price | None) -> ItemSummary:
    """Read every attempt once, keeping only numbers."""
    totals = _Totals()
    async for attempt in attempts:
        totals.add(attempt)
    return totals.summary(price)


@dataclass(slots=True)
class _Totals:
    ended: int = 0
    correct: int = 0
    answered: int = 0
    latency_ms: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    has_unknown_usage: bool = False
    cost_usd: Decimal | None = Decimal(0)
    errors: Counter[str] = field(default_factory=Counter[str])

    def add(self, attempt: Attempt) -> None:
        self.ended += 1
        self.latency_ms += latency_ms(attempt)
        if not attempt.outcome.is_final:
            self.errors[error_text(attempt)] += 1
            return
        self.correct += attempt.outcome is Outcome.CORRECT
        self.answered += attempt.outcome is Outcome.ANSWERED
        self._add_usage(attempt)

    def _add_usage(self, attempt: Attempt) -> None:
        usage = attempt.usage
        self.input_tokens += usage.input_tokens or 0
        self.output_tokens += usage.output_tokens or 0
        self.has_unknown_usage |= usage.input_tokens is None or usage.output_tokens is None
        if attempt.cost_usd is None or self.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += attempt.cost_usd

    def summary(self, price: Price | None) -> ItemSummary:
        errors = self.errors.total()
        scored = self.ended - errors
        # An unknown number of tokens has an unknown price.
        charged = price if scored and not self.has_unknown_usage else None
        return ItemSummary(
            total_items=self.ended,
            correct=self.correct,
            incorrect=scored - self.correct - self.answered,
            answered=self.answered,
            errors=errors,
            avg_latency_ms=self.latency_ms / self.ended if self.ended else None,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            total_tokens=self.input_tokens + self.output_tokens,
            input_cost_usd=usd(charged and charged.cost_usd(input_tokens=self.input_tokens, output_tokens=0)),
            output_cost_usd=usd(
                charged and charged.cost_usd(input_tokens=0, output_tokens=self.output_tokens)
            ),
            total_cost_usd=usd(self.cost_usd) if scored else None,
            pricing_input_per_million_usd=usd(price and price.input_usd_per_million),
            pricing_output_per_million_usd=usd(price and price.output_usd_per_million),
            error_breakdown=tuple(
                ErrorCount(message=message, count=count) for message, count in self.errors.most_common()
            ),
        )
