from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from assay.api.results.item_summary import item_summary
from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Usage
from assay.domain.calls.pricing import Price
from assay.domain.calls.timing import StreamTiming
from assay.domain.outcome import Outcome
from tests.builders import attempt

PRICE = Price(Decimal(2), Decimal(8), "test")
PAID = Decimal("0.000036")


async def stream(*attempts: Attempt) -> AsyncIterator[Attempt]:
    for one in attempts:
        yield one


async def test_every_attempt_is_counted_once() -> None:
    summary = await item_summary(
        stream(
            attempt("0", cost_usd=PAID),
            attempt("1", outcome=Outcome.UNPARSED, score=0.0, cost_usd=PAID),
            attempt("2", outcome=Outcome.TIMEOUT, score=None, error_message="30 s without a byte"),
            attempt("3", outcome=Outcome.TIMEOUT, score=None, error_message="30 s without a byte"),
            attempt("4", outcome=Outcome.RATE_LIMITED, score=None),
        ),
        PRICE,
    )
    assert (summary.total_items, summary.correct, summary.incorrect, summary.errors) == (5, 1, 1, 3)
    assert [(one.message, one.count) for one in summary.error_breakdown] == [
        ("30 s without a byte", 2),
        ("rate_limited", 1),
    ]


async def test_costs_are_tokens_times_price() -> None:
    summary = await item_summary(stream(attempt("0", cost_usd=PAID)), PRICE)
    assert summary.input_cost_usd == pytest.approx(10 * 2e-6)
    assert summary.output_cost_usd == pytest.approx(2 * 8e-6)
    assert summary.total_cost_usd == pytest.approx(36e-6)
    assert summary.pricing_output_per_million_usd == 8


async def test_an_unknown_part_makes_the_cost_unknown() -> None:
    unknown = attempt("1", usage=Usage(input_tokens=10))
    summary = await item_summary(stream(attempt("0", cost_usd=PAID), unknown), PRICE)
    assert summary.total_cost_usd is None
    assert summary.input_cost_usd is None
    assert summary.input_tokens == 20


async def test_no_attempts_have_no_average_and_no_cost() -> None:
    summary = await item_summary(stream(), PRICE)
    assert summary.avg_latency_ms is None
    assert summary.total_cost_usd is None
    assert summary.input_cost_usd is None


async def test_latency_is_that_of_the_call_where_it_was_measured() -> None:
    measured = attempt("0", timing=StreamTiming(duration_ms=200))
    summary = await item_summary(stream(measured, attempt("1")), None)
    assert summary.avg_latency_ms == (200 + 1000) / 2
