from decimal import Decimal

import pytest

from assay.adapters.models.lists.model_list import listed_context, listed_price, parse_model_list
from assay.adapters.models.providers import PriceUnit
from assay.domain.calls.messages import Json
from assay.domain.calls.pricing import Price


@pytest.mark.parametrize(
    "value",
    [
        {"object": "list", "data": [{"id": "a/b"}, {"id": "c"}]},
        [{"id": "a/b"}, {"id": "c"}, {"name": "nameless"}, "text", {"id": 7}],
    ],
)
def test_names_in_a_listing(value: Json) -> None:
    assert set(parse_model_list(value).entries) == {"a/b", "c"}


@pytest.mark.parametrize("value", [None, {}, {"data": None}, {"data": "no"}, "text", 7])
def test_no_listing_is_empty(value: Json) -> None:
    assert not parse_model_list(value).entries


@pytest.mark.parametrize("name", ["a/b", "a/b:free", "llama", "llama:latest", "a/b?chunks=3"])
def test_listed_names_and_their_variants(name: str) -> None:
    assert parse_model_list([{"id": "a/b"}, {"id": "llama:latest"}]).entry(name) is not None


def test_unlisted_name_has_nearest_ones() -> None:
    models = parse_model_list([{"id": "meta/llama-3-8b"}, {"id": "qwen/qwen3"}])
    assert models.entry("meta/llama-3-9b") is None
    assert models.nearest("meta/llama-3-9b") == ("meta/llama-3-8b",)


@pytest.mark.parametrize(
    ("row", "unit", "expected"),
    [
        ({"pricing": {"prompt": "0.0000025", "completion": "0.00001"}}, "token", ("2.5", "10")),
        ({"pricing": {"prompt": "0", "completion": "0"}}, "token", ("0", "0")),
        ({"pricing": {"prompt": 0.2, "completion": 0.8}}, "million", ("0.2", "0.8")),
        ({"pricing": {"input": 0.18, "output": 0.59}}, "million", ("0.18", "0.59")),
        ({"price": {"input": {"usd": 0.2, "tao": 1}, "output": {"usd": 0.8}}}, None, ("0.2", "0.8")),
        ({"pricing": {"prompt": "-1", "completion": "-1"}}, "token", None),
        ({"pricing": {"prompt": "0.1"}}, "token", None),
        ({"pricing": {"prompt": "cheap", "completion": "NaN"}}, "token", None),
        ({"pricing": {"prompt": True, "completion": None}}, "token", None),
        ({"pricing": {"prompt": "0.1", "completion": "0.1"}}, None, None),
        ({"price": {"input": {"usd": 0.2}}}, None, None),
        ({}, "token", None),
    ],
)
def test_price_of_a_row(
    row: dict[str, Json], unit: PriceUnit | None, expected: tuple[str, str] | None
) -> None:
    price = listed_price(row, unit=unit, source="here")
    assert price == (Price(Decimal(expected[0]), Decimal(expected[1]), "here") if expected else None)


def test_cost_of_a_listed_price() -> None:
    price = listed_price({"pricing": {"prompt": 0.2, "completion": 0.8}}, unit="million", source="")
    assert price is not None
    assert price.cost_usd(input_tokens=1_000_000, output_tokens=500_000) == Decimal("0.6")


@pytest.mark.parametrize(
    ("row", "tokens"),
    [
        ({"context_length": 128_000}, 128_000),
        ({"max_model_len": 4_096}, 4_096),
        ({"context_length": None, "context_window": 32_768}, 32_768),
        ({"context_length": "128k"}, None),
        ({"context_length": True}, None),
        ({}, None),
    ],
)
def test_context_of_a_row(row: dict[str, Json], tokens: int | None) -> None:
    assert listed_context(row) == tokens


def test_the_most_tokens_of_a_model_are_found_without_the_date_in_its_name() -> None:
    listed = [{"id": "claude-x-20260101", "max_tokens": 64_000}, {"id": "claude-y"}, {"id": "claude-x-mini"}]
    models = parse_model_list({"data": listed})
    assert models.most_tokens("claude-x") == models.most_tokens("claude-x-20260101") == 64_000
    assert [models.most_tokens(name) for name in ("claude-y", "claude", "other")] == [None, None, None]
