"""Entries of providers' lists as models of the registry."""

import re
from collections.abc import Mapping

from assay.adapters.models.json_text import repaired_text
from assay.adapters.models.lists.model_list import listed_context, listed_price, token_price
from assay.adapters.models.providers import PriceUnit
from assay.domain.calls.messages import Json
from assay.domain.registry import ListedModel

Entry = Mapping[str, Json]

# The limit for the name of a model in a request, which has a provider before it.
_SLUG_CHARACTERS = 400
_TEXT_CHARACTERS = 500
_MAX_INSTANCES = 2**31 - 1
_PARAMETER = re.compile(r"[\w.-]{1,64}")
_MAX_PARAMETERS = 100


def chutes_model(entry: Entry, *, source: str) -> ListedModel | None:
    """Active if it has a price for tokens; None for an entry without a usable name."""
    slug = _slug(entry.get("name"))
    if slug is None:
        return None
    user, instances = entry.get("user"), entry.get("instances")
    estimated = entry.get("current_estimated_price")
    per_million = estimated.get("per_million_tokens") if isinstance(estimated, dict) else None
    price = token_price(per_million, source=source)
    return ListedModel(
        provider="chutes",
        slug=slug,
        name=slug,
        is_active=price is not None,
        tagline=_text(entry.get("tagline")),
        user=_text(user.get("username") if isinstance(user, dict) else None),
        logo=_text(entry.get("logo")),
        chute_id=_slug(entry.get("chute_id")),
        instance_count=min(len(instances), _MAX_INSTANCES) if isinstance(instances, list) else None,
        price=price,
    )


def served_model(entry: Entry, *, provider: str, unit: PriceUnit | None, source: str) -> ListedModel | None:
    """From an entry of `GET /models`; None if it has no usable id."""
    slug = _slug(entry.get("id"))
    if slug is None:
        return None
    return ListedModel(
        provider=provider,
        slug=slug,
        name=_text(entry.get("name")) or slug,
        tagline=_text(entry.get("description")),
        user=_text(entry.get("owned_by")),
        price=listed_price(entry, unit=unit, source=source),
        context_tokens=listed_context(entry),
        supported_parameters=_parameters(entry.get("supported_parameters")),
    )


def _parameters(value: Json) -> tuple[str, ...]:
    names = value[:_MAX_PARAMETERS] if isinstance(value, list) else []
    return tuple(name for name in names if isinstance(name, str) and _PARAMETER.fullmatch(name))


def _slug(value: Json) -> str | None:
    if not isinstance(value, str):
        return None
    slug = repaired_text(value).strip()
    return slug if slug.isprintable() and 0 < len(slug) <= _SLUG_CHARACTERS else None


def _text(value: Json) -> str | None:
    """The first line, shortened if necessary."""
    if not isinstance(value, str):
        return None
    line = next(iter(repaired_text(value).strip().splitlines()), "")
    return line if len(line) <= _TEXT_CHARACTERS else f"{line[: _TEXT_CHARACTERS - 1]}…"
