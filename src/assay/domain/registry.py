"""Models that a provider's catalogue lists, as they were when it was last read."""

from dataclasses import dataclass
from datetime import datetime

from assay.domain.pricing import Price


@dataclass(frozen=True, slots=True)
class ListedModel:
    """What a catalogue tells about a model; what it does not tell is None."""

    provider: str
    # The provider's own name of it.
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

    @property
    def id(self) -> str:
        """The name to give it in a run."""
        return f"{self.provider}/{self.slug}"


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """A model of a catalogue; `synced_at` is when the catalogue last listed it."""

    listed: ListedModel
    first_seen_at: datetime
    synced_at: datetime

    @property
    def id(self) -> str:
        return self.listed.id
