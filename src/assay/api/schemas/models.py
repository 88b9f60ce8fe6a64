"""Models that can be named, as responses."""

from collections.abc import Sequence
from typing import Protocol, Self

from pydantic import BaseModel, Field

from assay.api.schemas.fields import FreeText, Schema
from assay.domain.pricing import Price
from assay.domain.registry import RegisteredModel


class ModelQuery(BaseModel):
    search: str | None = Field(default=None, max_length=200, description="Part of a name, in any case")
    limit: int = Field(default=100, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10**12)


class RegistryQuery(ModelQuery):
    provider: str | None = Field(default=None, max_length=200, description="Only models of this provider")
    with_inactive: bool = Field(default=False, description="Also those their catalogue does not offer now")


class ServedModel(Protocol):
    """A model as its endpoint lists it; what the list does not tell is None."""

    @property
    def name(self) -> str: ...

    @property
    def price(self) -> Price | None: ...

    @property
    def context_tokens(self) -> int | None: ...


class Model(Schema):
    """Its id is the name to give it in a run. What nobody tells about it is null."""

    id: FreeText
    slug: FreeText
    name: FreeText
    provider: FreeText
    is_active: bool
    tagline: FreeText | None = None
    user: FreeText | None = None
    logo: FreeText | None = None
    chute_id: FreeText | None = None
    instance_count: int | None = None
    input_usd_per_million: float | None = None
    output_usd_per_million: float | None = None
    context_tokens: int | None = None

    @classmethod
    def named(cls, name: str) -> Self:
        return cls(id=name, slug=name, name=name, provider=name.partition("/")[0], is_active=True)

    @classmethod
    def served(cls, prefix: str, found: ServedModel) -> Self:
        name, price = f"{prefix}/{found.name}", found.price
        return cls(
            id=name,
            slug=name,
            name=name,
            provider=name.partition("/")[0],
            is_active=True,
            input_usd_per_million=float(price.input_usd_per_million) if price else None,
            output_usd_per_million=float(price.output_usd_per_million) if price else None,
            context_tokens=found.context_tokens,
        )

    @classmethod
    def registered(cls, found: RegisteredModel) -> Self:
        listed, price = found.listed, found.listed.price
        return cls(
            id=listed.id,
            slug=listed.slug,
            name=listed.name,
            provider=listed.provider,
            is_active=listed.is_active,
            tagline=listed.tagline,
            user=listed.user,
            logo=listed.logo,
            chute_id=listed.chute_id,
            instance_count=listed.instance_count,
            input_usd_per_million=None if price is None else float(price.input_usd_per_million),
            output_usd_per_million=None if price is None else float(price.output_usd_per_million),
            context_tokens=listed.context_tokens,
        )


class Provider(Schema):
    """A prefix of model names; it is ready where it needs no key or has one."""

    prefix: FreeText
    is_ready: bool
    base_url: FreeText
    key_variable: str = Field(description="The setting that holds its key")
    has_key: bool = Field(description="Whether that setting has a value; the value is never told")


class ModelPage(Schema):
    """`total` counts the models on all pages."""

    models: tuple[Model, ...]
    total: int
    limit: int
    offset: int

    @classmethod
    def of(cls, models: Sequence[Model], wanted: ModelQuery) -> Self:
        part = (wanted.search or "").casefold()
        found = [model for model in models if part in model.id.casefold()]
        return cls(
            models=tuple(found[wanted.offset : wanted.offset + wanted.limit]),
            total=len(found),
            limit=wanted.limit,
            offset=wanted.offset,
        )


class ModelList(ModelPage):
    """Built-in and registered models, and the providers whose models can be listed with their prefix."""

    providers: tuple[Provider, ...]
