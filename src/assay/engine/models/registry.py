"""Updates the registry of models from the lists of providers."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from assay.domain.calls.pricing import Price
from assay.domain.errors import EndpointError, InvalidValueError, UnknownNameError
from assay.domain.registry import ListedModel
from assay.engine.stores.registry import Change, ModelRegistry


class ModelLists(Protocol):
    """The lists of models that providers publish."""

    def configured(self) -> tuple[str, ...]:
        """Providers that the settings of this installation name."""
        ...

    async def listed(self, provider: str) -> tuple[ListedModel, ...]:
        """Every model of the provider, each slug once; raises EndpointError and UnknownNameError."""
        ...


class NoModelLists:
    """For an installation that reads no lists."""

    def configured(self) -> tuple[str, ...]:
        return ()

    async def listed(self, provider: str) -> tuple[ListedModel, ...]:
        raise UnknownNameError("provider", provider)


@dataclass(frozen=True, slots=True)
class Synced:
    """The list of one provider, read and stored; nothing was changed if `error` is set."""

    provider: str
    found: int = 0
    change: Change = Change(0, 0, 0)
    error: str | None = None

    @property
    def sentence(self) -> str:
        if self.error is not None:
            return f"{self.provider}: {self.error}"
        change = self.change
        return (
            f"{self.provider}: {self.found} models, {change.active} of them active,"
            f" {change.added} new, {change.gone} gone"
        )


async def sync_models(
    registry: ModelRegistry, lists: ModelLists, *, provider: str | None, at: datetime
) -> tuple[Synced, ...]:
    """Read the list of one provider or of every configured one; raises if none could be read."""
    if provider is not None:
        return (await _synced(registry, lists, provider, at=at),)
    providers = lists.configured()
    if not providers:
        raise InvalidValueError(
            "no provider is configured, so there is nothing to sync: name one, such as 'chutes'"
        )
    done: list[Synced] = []
    failures: list[EndpointError] = []
    for name in providers:
        try:
            done.append(await _synced(registry, lists, name, at=at))
        except EndpointError as error:
            failures.append(error)
            done.append(Synced(name, error=error.message))
    if len(failures) == len(providers):
        raise failures[0]
    return tuple(done)


async def _synced(registry: ModelRegistry, lists: ModelLists, provider: str, *, at: datetime) -> Synced:
    provider = provider.strip().strip("/")
    listed = await lists.listed(provider)
    return Synced(provider, len(listed), await registry.register(provider, listed, at=at))


async def registered_price(registry: ModelRegistry, model: str) -> Price | None:
    """The price in the catalogue when it was last read; its source says when that was."""
    for found in await registry.named(model):
        if found.id == model and found.listed.price is not None:
            price = found.listed.price
            return replace(price, source=f"{price.source}, read {found.synced_at:%Y-%m-%d}")
    return None
