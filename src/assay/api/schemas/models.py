"""Models and providers as responses."""

from collections.abc import Sequence
from typing import Literal, Protocol, Self

from pydantic import BaseModel, Field

from assay.api.schemas.fields import FreeText, Schema
from assay.domain.calls.pricing import Price
from assay.domain.registry import RegisteredModel
from assay.engine.models.registry import Synced


class ModelQuery(BaseModel):
    search: str | None = Field(default=None, max_length=200, description="Part of a name, in any case")
    limit: int = Field(default=100, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10**12)


class RegistryQuery(ModelQuery):
    provider: str | None = Field(default=None, max_length=200, description="Only models of this provider")
    with_inactive: bool = Field(
        default=False, description="Include models that their catalogue no longer offers"
    )


class ServedModel(Protocol):
    """A model as its endpoint lists it; values missing in the list are None."""

    @property
    def name(self) -> str: ...

    @property
    def price(self) -> Price | None: ...

    @property
    def context_tokens(self) -> int | None: ...


class Model(Schema):
    """The id is the name of the model in runs. Unknown values are null."""

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
    """A prefix of model names; it is ready if it has a key or needs none."""

    prefix: FreeText
    is_ready: bool
    base_url: FreeText
    key_variable: str = Field(description="The setting that holds its key")
    has_key: bool = Field(description="Whether that setting has a value; the value is never sent")


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


class SyncQuery(BaseModel):
    provider: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="By default every provider with a key or an address in the server's settings",
    )


class ProviderSync(Schema):
    """With an error, the models of the provider are registered as before."""

    provider: FreeText
    synced: int = Field(description="Models in its catalogue")
    active: int
    added: int
    gone: int = Field(description="Models that were active and are no longer")
    error: FreeText | None = None


class SyncReport(Schema):
    """`synced` counts the models in the lists that could be read."""

    synced: int
    message: FreeText
    providers: tuple[ProviderSync, ...]

    @classmethod
    def of(cls, done: Sequence[Synced]) -> Self:
        return cls(
            synced=sum(one.found for one in done),
            message="; ".join(one.sentence for one in done),
            providers=tuple(
                ProviderSync(
                    provider=one.provider,
                    synced=one.found,
                    active=one.change.active,
                    added=one.change.added,
                    gone=one.change.gone,
                    error=one.error,
                )
                for one in done
            ),
        )


class OpenAIModel(Schema):
    id: FreeText = Field(description="Name of the model, with its provider")
    object: Literal["model"] = Field(default="model", description="Always `model`")
    created: int = Field(description="When it was first listed, in seconds since 1970; 0 if it is built in")
    owned_by: FreeText = Field(description="The provider")


class OpenAIModelList(Schema):
    object: Literal["list"] = Field(default="list", description="Always `list`")
    data: tuple[OpenAIModel, ...] = Field(description="All models")
