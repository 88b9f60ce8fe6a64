"""Models that can be named, as responses."""

from typing import Self

from pydantic import BaseModel, Field

from assay.api.schemas.fields import FreeText, Schema


class ModelQuery(BaseModel):
    search: str | None = Field(default=None, max_length=200, description="Part of a name, in any case")
    limit: int = Field(default=100, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10**12)


class Model(Schema):
    """A model's name is its id. What no endpoint tells about its models is null."""

    id: FreeText
    slug: FreeText
    name: FreeText
    provider: FreeText
    is_active: bool
    tagline: str | None = None
    user: str | None = None
    logo: str | None = None
    chute_id: str | None = None
    instance_count: int | None = None

    @classmethod
    def named(cls, name: str) -> Self:
        return cls(id=name, slug=name, name=name, provider=name.partition("/")[0], is_active=True)


class Provider(Schema):
    """A prefix of model names; it is ready where it needs no key or has one."""

    prefix: FreeText
    is_ready: bool
    base_url: FreeText
    key_variable: str = Field(description="The setting that holds its key")


class ModelPage(Schema):
    """`total` counts the models on all pages."""

    models: tuple[Model, ...]
    total: int
    limit: int
    offset: int

    @classmethod
    def of(cls, names: list[str], wanted: ModelQuery) -> Self:
        part = (wanted.search or "").casefold()
        found = [name for name in names if part in name.casefold()]
        return cls(
            models=tuple(Model.named(name) for name in found[wanted.offset : wanted.offset + wanted.limit]),
            total=len(found),
            limit=wanted.limit,
            offset=wanted.offset,
        )


class ModelList(ModelPage):
    """The built-in models, and the providers whose models can be listed with their prefix."""

    providers: tuple[Provider, ...]
