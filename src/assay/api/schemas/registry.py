"""What came of bringing the registry of models up to date."""

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, Field

from assay.api.schemas.fields import FreeText, Schema
from assay.engine.models.registry import Synced


class SyncQuery(BaseModel):
    provider: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Left out: every provider with a key or an address in the server's settings",
    )


class ProviderSync(Schema):
    """With an error, what was registered of the provider before is as it was."""

    provider: FreeText
    synced: int = Field(description="Models in its catalogue")
    active: int
    added: int
    gone: int = Field(description="Models that were active and are not any more")
    error: FreeText | None = None


class SyncReport(Schema):
    """`synced` counts the models in the catalogues that could be read."""

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
