"""Rows of providers' catalogues as models of the registry."""

from collections.abc import Mapping

from assay.adapters.models.catalogue import listed_context, listed_price, token_price
from assay.adapters.models.json_text import mended
from assay.adapters.models.providers import PriceUnit
from assay.domain.messages import Json
from assay.domain.registry import ListedModel

Row = Mapping[str, Json]

# As long as the name of a model in a request may be, with a provider before it.
_SLUG_CHARACTERS = 400
_TEXT_CHARACTERS = 500
_MOST_INSTANCES = 2**31 - 1
_MOST_TOKENS = 2**63 - 1


def chutes_model(row: Row, *, source: str) -> ListedModel | None:
    """Active as long as it has a price for tokens; None for a row without a usable name."""
    slug = _slug(row.get("name"))
    if slug is None:
        return None
    user, instances = row.get("user"), row.get("instances")
    estimated = row.get("current_estimated_price")
    per_million = estimated.get("per_million_tokens") if isinstance(estimated, dict) else None
    price = token_price(per_million, source=source)
    return ListedModel(
        provider="chutes",
        slug=slug,
        name=slug,
        is_active=price is not None,
        tagline=_text(row.get("tagline")),
        user=_text(user.get("username") if isinstance(user, dict) else None),
        logo=_text(row.get("logo")),
        chute_id=_slug(row.get("chute_id")),
        instance_count=min(len(instances), _MOST_INSTANCES) if isinstance(instances, list) else None,
        price=price,
    )


def served_model(row: Row, *, provider: str, unit: PriceUnit | None, source: str) -> ListedModel | None:
    """From a row of `GET /models`; None where it has no usable id."""
    slug = _slug(row.get("id"))
    if slug is None:
        return None
    context_tokens = listed_context(row)
    return ListedModel(
        provider=provider,
        slug=slug,
        name=_text(row.get("name")) or slug,
        tagline=_text(row.get("description")),
        user=_text(row.get("owned_by")),
        price=listed_price(row, unit=unit, source=source),
        context_tokens=context_tokens if context_tokens and context_tokens <= _MOST_TOKENS else None,
    )


def _slug(value: Json) -> str | None:
    if not isinstance(value, str):
        return None
    slug = mended(value).strip()
    return slug if slug.isprintable() and 0 < len(slug) <= _SLUG_CHARACTERS else None


def _text(value: Json) -> str | None:
    """The first line, which may be cut."""
    if not isinstance(value, str):
        return None
    line = next(iter(mended(value).strip().splitlines()), "")
    return line if len(line) <= _TEXT_CHARACTERS else f"{line[: _TEXT_CHARACTERS - 1]}…"
