"""Prices given for models whose endpoints list none."""

import pytest

from tests.unit.cli.conftest import CommandLine

RUN = ("run", "sim/good", "mmlu_pro", "--data", "demo", "--count", "3")


def test_a_given_price_makes_costs_known_and_a_budget_possible(assay: CommandLine) -> None:
    done = assay.json(*RUN, "--price-in", "2", "--price-out", "10.5", "--budget-usd", "5")
    [one] = done["evaluations"]
    tokens = one["tokens"]
    assert one["cost_usd"] == pytest.approx((2 * tokens["input"] + 10.5 * tokens["output"]) / 1e6)
    assert "cost under $0.0001" in assay.printed(*RUN, "--price-in", "0", "--price-out", "0.1")
    assert "unknown (no price)" not in assay.printed(*RUN, "--price-in", "2", "--price-out", "3", "--dry-run")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--price-in", "2"), "give --price-in and --price-out"),
        (
            ("--price-in", "cheap", "--price-out", "1"),
            "price must be an amount in USD such as 2.50, not 'cheap'",
        ),
        (("--price-in", "-1", "--price-out", "1"), "at least 0 USD per million tokens"),
        (("--budget-usd", "1"), "give one in tokens instead, or the price"),
    ],
)
def test_prices_that_cannot_be_used_are_refused(
    assay: CommandLine, options: tuple[str, ...], said: str
) -> None:
    assert said in assay.error(*RUN, *options)
