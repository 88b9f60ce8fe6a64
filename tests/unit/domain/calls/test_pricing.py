"""Costs are exact, and unknown stays unknown."""

from decimal import Decimal

from assay.domain.calls.messages import Usage
from assay.domain.calls.pricing import Price, usage_cost_usd

PRICE = Price(Decimal("0.2"), Decimal("0.8"), "list")


def test_cost_is_tokens_times_price_per_million() -> None:
    cost = usage_cost_usd(Usage(input_tokens=1_000_000, output_tokens=500_000), PRICE)
    assert cost == Decimal("0.6")


def test_what_the_provider_reports_beats_the_price_list() -> None:
    usage = Usage(input_tokens=1, output_tokens=1, reported_cost_usd=Decimal("0.01"))
    assert usage_cost_usd(usage, PRICE) == Decimal("0.01")


def test_an_unknown_price_or_usage_is_unknown_and_not_zero() -> None:
    assert usage_cost_usd(Usage(input_tokens=1, output_tokens=1), None) is None
    assert usage_cost_usd(Usage(), PRICE) is None
    assert usage_cost_usd(Usage(input_tokens=1), PRICE) is None
