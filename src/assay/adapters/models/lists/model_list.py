"""A provider's list of models: which exist, and what they cost."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from assay.adapters.models.json_text import token_count, usd_amount
from assay.adapters.models.providers import PriceUnit
from assay.domain.calls.messages import Json
from assay.domain.calls.pricing import Price, known_usd
from assay.domain.errors import nearest_names

_MILLION = Decimal(1_000_000)
_DATE = re.compile(r"-\d{8}")
_CONTEXT_NAMES = (
    "context_length",
    "max_model_len",
    "context_window",
    "max_context_length",
    "max_input_tokens",
)


@dataclass(frozen=True, slots=True)
class ModelList:
    """The entries of `GET /models` by id; empty if the server lists nothing, `problem` says why if known."""

    entries: Mapping[str, Mapping[str, Json]]
    problem: str | None = None

    def entry(self, name: str) -> Mapping[str, Json] | None:
        """The entry of a model; also found by a variant (`name:free`) or an implied tag (`name:latest`)."""
        plain = name.partition("?")[0]
        for candidate in (name, plain, f"{name}:latest", plain.rpartition(":")[0]):
            if candidate in self.entries:
                return self.entries[candidate]
        return None

    def most_tokens(self, name: str) -> int | None:
        """The most that the model may say, as Anthropic lists it; also by a name without its date."""
        dated = (one for one in self.entries if _DATE.fullmatch(one.removeprefix(name)))
        entry = self.entry(name) or self.entries.get(next(dated, ""))
        return token_count(entry.get("max_tokens")) if entry else None

    def nearest(self, name: str) -> tuple[str, ...]:
        return nearest_names(name, self.entries, cutoff=0.5)


def parse_model_list(value: Json) -> ModelList:
    """Read `{"data": [...]}` or a bare list; anything else lists nothing."""
    entries = value.get("data") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        return ModelList({})
    objects = [entry for entry in entries if isinstance(entry, dict)]
    return ModelList({name: entry for entry in objects if isinstance(name := entry.get("id"), str)})


def listed_price(entry: Mapping[str, Json], *, unit: PriceUnit | None, source: str) -> Price | None:
    """The price of a listed model; None if there is none that can be trusted."""
    if (usd := _by_currency(entry.get("price"))) is not None:
        return _price(usd, unit="million", source=source)
    pricing = entry.get("pricing")
    if unit is None or not isinstance(pricing, dict):
        return None
    pair = (pricing.get("prompt", pricing.get("input")), pricing.get("completion", pricing.get("output")))
    return _price(pair, unit=unit, source=source)


def token_price(per_million: Json, *, source: str) -> Price | None:
    """From `{"input": {"usd": …}, "output": {"usd": …}}`, or `{"usd": …}` for both, per million tokens."""
    if (usd := _by_currency(per_million)) is not None:
        return _price(usd, unit="million", source=source)
    if not isinstance(per_million, dict):
        return None
    return _price((per_million.get("usd"), per_million.get("usd")), unit="million", source=source)


def listed_context(entry: Mapping[str, Json]) -> int | None:
    """The context length in tokens, under any of the names that servers use."""
    for name in _CONTEXT_NAMES:
        if tokens := token_count(entry.get(name)):
            return tokens
    return None


def _by_currency(price: Json) -> tuple[Json, Json] | None:
    """`{"input": {"usd": …}, "output": {"usd": …}}`, which is per million tokens."""
    if not isinstance(price, dict):
        return None
    sides = price.get("input"), price.get("output")
    usd = [side.get("usd") for side in sides if isinstance(side, dict)]
    return (usd[0], usd[1]) if len(usd) == len(sides) else None


def _price(pair: tuple[Json, Json], *, unit: PriceUnit, source: str) -> Price | None:
    factor = _MILLION if unit == "token" else Decimal(1)
    amounts = [None if amount is None else known_usd(amount * factor) for amount in map(usd_amount, pair)]
    if amounts[0] is None or amounts[1] is None:
        return None
    return Price(amounts[0], amounts[1], source)
