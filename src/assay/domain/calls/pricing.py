"""What a completion costs. An unknown price is unknown, never 0."""

from dataclasses import dataclass
from decimal import Decimal

from assay.domain.calls.messages import Usage

# No call and no million tokens cost more.
MAX_USD = Decimal(1_000_000)
# Nothing is priced more finely, and PostgreSQL stores no more than 16,383 places.
_MAX_PLACES = 100
_MILLION = Decimal(1_000_000)


def known_usd(amount: Decimal) -> Decimal | None:
    """The amount, or None if it cannot be one of a single call or price."""
    exponent = amount.as_tuple().exponent  # a letter for what is not finite
    is_plain = isinstance(exponent, int) and exponent >= -_MAX_PLACES
    return amount if is_plain and 0 <= amount <= MAX_USD else None


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens, with the source of the figures."""

    input_usd_per_million: Decimal
    output_usd_per_million: Decimal
    source: str

    def cost_usd(self, *, input_tokens: int, output_tokens: int) -> Decimal:
        return (
            input_tokens * self.input_usd_per_million + output_tokens * self.output_usd_per_million
        ) / _MILLION


def usage_cost_usd(usage: Usage, price: Price | None) -> Decimal | None:
    """Cost of one call: what the provider reported, else tokens times the price, else unknown."""
    if usage.reported_cost_usd is not None:
        return usage.reported_cost_usd
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    return price.cost_usd(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
