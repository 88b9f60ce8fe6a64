"""Models that a provider lists, as of when its list was last read."""

from dataclasses import dataclass
from datetime import datetime

from assay.domain.calls.pricing import Price


@dataclass(frozen=True, slots=True)
class ListedModel:
    """What a provider's list says about a model; None means that it says nothing."""

    provider: str
    # The provider's name for the model.
    slug: str
    name: str
    is_active: bool = True
    tagline: str | None = None
    user: str | None = None
    logo: str | None = None
    chute_id: str | None = None
    instance_count: int | None = None
    price: Price | None = None
    context_tokens: int | None = None
    # Fields of a request that the model heeds; not stored.
    supported_parameters: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The model's name in a run."""
        return f"{self.provider}/{self.slug}"


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """A listed model as stored; `synced_at` is when the provider last listed it."""

    listed: ListedModel
    first_seen_at: datetime
    synced_at: datetime

    @property
    def id(self) -> str:
        return self.listed.id
