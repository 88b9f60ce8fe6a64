"""The registry of models in plain Python."""

from collections.abc import Sequence
from datetime import datetime

from assay.adapters.store.rules import folded, followed
from assay.domain.registry import ListedModel, RegisteredModel
from assay.engine.stores.registry import Change, ModelFilter, RegisteredPage


class MemoryRegistry:
    """A part of the store in memory; each method is one transaction."""

    def __init__(self) -> None:
        self._models: dict[str, tuple[RegisteredModel, ...]] = {}

    async def register_models(self, provider: str, listed: Sequence[ListedModel], *, at: datetime) -> Change:
        self._models[provider], change = followed(self._models.get(provider, ()), listed, at=at)
        return change

    async def registered_models(self, wanted: ModelFilter) -> RegisteredPage:
        known = self._every() if wanted.with_inactive else self._active()
        found = [one for one in known if _is_wanted(one.listed, wanted)]
        return RegisteredPage(tuple(found[wanted.offset : wanted.offset + wanted.limit]), len(found))

    async def models_called(self, name: str) -> tuple[RegisteredModel, ...]:
        return tuple(one for one in self._active() if name in (one.id, one.listed.slug, one.listed.chute_id))

    def _active(self) -> list[RegisteredModel]:
        return [one for one in self._every() if one.listed.is_active]

    def _every(self) -> list[RegisteredModel]:
        every = (one for of_provider in self._models.values() for one in of_provider)
        return sorted(every, key=lambda one: one.id)


def _is_wanted(listed: ListedModel, wanted: ModelFilter) -> bool:
    if wanted.provider not in (None, listed.provider):
        return False
    part = folded(wanted.search or "")
    return any(part in folded(text) for text in (listed.id, listed.name))
