"""The store of models that providers list."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assay.domain.registry import ListedModel, RegisteredModel


@dataclass(frozen=True, slots=True)
class ModelFilter:
    """A page of models; `search` is a part of the id or name, with ASCII letters in either case.

    Inactive ones, which a catalogue listed before or lists as switched off, are left out unless asked for.
    """

    search: str | None = None
    provider: str | None = None
    limit: int = 100
    offset: int = 0
    with_inactive: bool = False


@dataclass(frozen=True, slots=True)
class RegisteredPage:
    """`total` counts every model the filter matches, not just this page."""

    models: tuple[RegisteredModel, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Change:
    """How many models of a provider are active, are new, and are no longer active."""

    active: int
    added: int
    gone: int


class ModelRegistry(Protocol):
    """Each method is one transaction."""

    async def register(self, provider: str, listed: Sequence[ListedModel], *, at: datetime) -> Change:
        """Store what the provider's whole catalogue lists; models that it lists no more become inactive."""
        ...

    async def page(self, wanted: ModelFilter) -> RegisteredPage:
        """Active ones in order of their ids."""
        ...

    async def named(self, name: str) -> tuple[RegisteredModel, ...]:
        """Active ones with this id, slug or chute id, in order of their ids."""
        ...
