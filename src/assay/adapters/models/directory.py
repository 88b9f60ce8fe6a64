"""Opens models by name."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from yarl import URL

from assay.adapters.models.client import ClientOptions, HttpModelClient
from assay.adapters.models.endpoint import Endpoint
from assay.adapters.models.http_errors import Target
from assay.adapters.models.lists.model_list import listed_context, listed_price
from assay.adapters.models.providers import (
    KNOWN,
    SIMULATED,
    Provider,
    configured_url,
    key_variables,
    provider_for,
    shown_url,
    through_proxy,
)
from assay.adapters.models.replay import REPLAY, KeptReplies, ReplayedModel
from assay.adapters.models.session import SharedSession
from assay.adapters.models.sim import SimulatedModel
from assay.adapters.models.sim_answers import MODELS
from assay.adapters.models.wire.pool import ConnectError
from assay.domain.access.secret import LoginToken, Secret
from assay.domain.calls.headers import with_values
from assay.domain.calls.pricing import Price
from assay.domain.errors import EndpointError
from assay.engine.models.functions import function_missing, is_function
from assay.engine.ports import ModelClient

# How long a list of providers waits for one of them.
_CONNECT_S = 2.0


@dataclass(frozen=True, slots=True)
class ProviderStatus:
    prefix: str
    is_ready: bool
    base_url: str = ""
    key_variable: str = ""
    has_key: bool = False
    # No connection could be made.
    is_refusing: bool = False


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model as its endpoint lists it; None means that the list does not say."""

    name: str
    price: Price | None = None
    context_tokens: int | None = None


class HttpModelDirectory:
    """All models share one HTTP session; models of one endpoint share what was learned about it."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        options: ClientOptions | None = None,
        inference_proxy: str | None = None,
        replies: KeptReplies | None = None,
    ) -> None:
        """Calls with the token of a login go through the `inference_proxy`; `replies` are given ones."""
        self._environment = environment
        self._replies = replies
        self._inference_proxy = inference_proxy
        self._options = options or ClientOptions()
        self._session = SharedSession(self._options.limits, environment)
        self._endpoints: dict[Provider, Endpoint] = {}

    def open(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        key_variable: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ModelClient:
        if model.startswith(f"{SIMULATED}/"):
            return SimulatedModel(model)
        if self._replies is not None and model.startswith(f"{REPLAY}/"):
            return ReplayedModel(model, self._replies)
        if is_function(model):
            raise function_missing(model)
        provider, name = provider_for(model, self._environment, base_url=base_url, key_variable=key_variable)
        provider = replace(provider, headers=tuple(with_values(headers or {}, self._environment).items()))
        if api_key is None:
            endpoint = self._endpoint(provider)
        else:
            # Not cached: a caller's key must not outlive its client.
            own = replace(provider, api_key=api_key.value, is_callers_key=True)
            if isinstance(api_key, LoginToken) and self._inference_proxy:
                own = through_proxy(own, self._inference_proxy)
            endpoint = Endpoint(own, self._session, self._options.limits)
        return HttpModelClient(model, name, endpoint, options=self._options)

    def provider_and_name(self, model: str, base_url: str | None) -> tuple[str, str]:
        """The prefix of a model's name, and what its provider calls it."""
        prefix, _, rest = model.partition("/")
        if prefix in (SIMULATED, REPLAY):
            return prefix, rest
        provider, name = provider_for(model, self._environment, base_url=base_url)
        return provider.name, name

    def providers(self) -> tuple[ProviderStatus, ...]:
        """Every prefix a model's name may begin with, and whether its key is set."""
        return (
            *(ProviderStatus(f"{SIMULATED}/{name}", is_ready=True) for name in MODELS),
            *map(self._status, KNOWN),
        )

    def _status(self, prefix: str) -> ProviderStatus:
        if not (KNOWN[prefix].base_url or configured_url(self._environment, prefix)):
            # Each of its users has an address of their own.
            return ProviderStatus(f"{prefix}/", is_ready=False, key_variable=key_variables(prefix)[0])
        one, _ = provider_for(f"{prefix}/any", self._environment)
        is_ready = bool(one.api_key) or not one.needs_key
        return ProviderStatus(
            f"{prefix}/", is_ready, shown_url(one.base_url), one.key_variable, bool(one.api_key)
        )

    async def connected_providers(self) -> tuple[ProviderStatus, ...]:
        """`providers()`, of which only those are ready that a connection can be made to."""
        return tuple(await asyncio.gather(*map(self._connected, self.providers())))

    async def _connected(self, status: ProviderStatus) -> ProviderStatus:
        if not status.is_ready or not status.base_url:
            return status
        try:
            async with asyncio.timeout(_CONNECT_S):
                await self._session.pool(URL(status.base_url)).try_connection()
        except (ConnectError, TimeoutError):
            return replace(status, is_ready=False, is_refusing=True)
        return status

    async def served(self, prefix: str, *, base_url: str | None = None) -> tuple[ServedModel, ...]:
        """The models an endpoint lists; raises EndpointError."""
        provider, name = provider_for(f"{prefix.rstrip('/')}/any", self._environment, base_url=base_url)
        endpoint = self._endpoint(provider)
        endpoint.session.join()
        try:
            target = Target(endpoint.shown_url, name, provider.key_variable, provider.api_key)
            endpoint.require_key(target)
            models = await endpoint.model_list(target)
        finally:
            endpoint.session.leave()
        if models.problem is not None:
            raise EndpointError(models.problem)
        unit, source = provider.traits.price_unit, f"{endpoint.shown_url}/models"
        return tuple(
            ServedModel(name, listed_price(entry, unit=unit, source=source), listed_context(entry))
            for name, entry in sorted(models.entries.items())
        )

    def _endpoint(self, provider: Provider) -> Endpoint:
        endpoint = self._endpoints.get(provider)
        if endpoint is None:
            endpoint = self._endpoints[provider] = Endpoint(provider, self._session, self._options.limits)
        return endpoint
