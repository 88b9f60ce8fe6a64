"""From the names that a caller gives models to the names that runs use."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends

from assay.api.dependencies import ApiServices, Caches, Services
from assay.api.errors import ProblemError, invalid
from assay.api.schemas.run_request import RunRequest
from assay.domain.errors import UnknownNameError
from assay.engine.ports import ModelDirectory

_GENERIC = "openai-api"
_SIMULATED = "sim"


def built_in_models(services: ApiServices) -> list[str]:
    return [one.prefix for one in services.directory.providers() if not one.prefix.endswith("/")]


async def with_registered_names(request: RunRequest, services: ApiServices) -> RunRequest:
    """Replace slugs and chute ids by the ids of registered models; other names stay as they are."""
    if request.config is not None and request.config.base_url is not None:
        return request
    names = [
        await registered_name(
            given,
            services,
            provider=request.provider,
            field="model_id" if request.models is None else f"models.{position}",
        )
        for position, given in enumerate(request.requested_models)
    ]
    changed = {"model_id": names[0]} if request.models is None else {"models": names}
    return request.model_copy(update=changed)


async def registered_name(
    given: str, services: ApiServices, *, provider: str | None = None, field: str = "model_id"
) -> str:
    """The id of the registered model with this slug or chute id; any other name stays as it is.

    A name that begins with a provider that is ready here is that provider's, whatever the registry holds.
    """
    name = given.strip()
    prefix = name.partition("/")[0]
    wanted = None if provider is None else provider.strip().lower()
    ready = {one.prefix.partition("/")[0] for one in services.directory.providers() if one.is_ready}
    if prefix == _GENERIC or (prefix in ready and wanted in (None, prefix)):
        return name
    called = await services.stores.registry.named(name)
    ids = [one.id for one in called if wanted in (None, one.listed.provider)]
    if not ids or name in ids:
        return name
    if len(ids) > 1:
        raise invalid(field, f"{name!r} is registered more than once: name one of {', '.join(ids)}")
    return ids[0]


async def _with_synced_names(request: RunRequest, services: Services, caches: Caches) -> RunRequest:
    """Read the providers' lists again where a model is unknown."""
    named = await with_registered_names(request, services)
    try:
        await require_known_models(models_of(named, services), services.models)
    except UnknownNameError:
        await caches.registry_sync.get()
        return await with_registered_names(request, services)
    return named


NamedRequest = Annotated[RunRequest, Depends(_with_synced_names)]


def models_of(request: RunRequest, services: ApiServices) -> list[str]:
    """As runs name them; raises a problem for a provider that is unknown or contradicts a name."""
    known = {one.prefix.partition("/")[0] for one in services.directory.providers()} | {_GENERIC}
    names = [_model(name.strip(), request.provider, known) for name in request.requested_models]
    return list(dict.fromkeys(names))


def _model(name: str, provider: str | None, known: set[str]) -> str:
    if provider is None:
        return name
    wanted = provider.strip().lower()
    prefix = name.partition("/")[0]
    if prefix == wanted:
        return name
    if wanted.partition("/")[0] not in known:
        raise _wrong_provider(f"provider {wanted!r} is unknown; known providers: {', '.join(sorted(known))}")
    if prefix in known:
        raise _wrong_provider(
            f"{name!r} names the provider {prefix!r}; if {wanted!r} is meant, write {wanted}/{name!s}"
        )
    return f"{wanted}/{name}"


def _wrong_provider(detail: str) -> ProblemError:
    return ProblemError(HTTPStatus.BAD_REQUEST, detail, code="wrong-provider")


async def require_known_models(models: Iterable[str], directory: ModelDirectory) -> None:
    """Raise UnknownNameError for a name that no client can be opened for, before any data is loaded."""
    for model in models:
        client = directory.open(model)
        await client.close()


def require_one_provider(models: Iterable[str]) -> None:
    """A caller's key is sent to the provider of the models, and must not reach any other."""
    providers = providers_of(models)
    if len(providers) > 1:
        raise invalid(
            "models",
            f"the key would be sent to {' and to '.join(map(repr, sorted(providers)))};"
            " start one run for each provider",
        )


def providers_of(models: Iterable[str]) -> set[str]:
    """The providers that models of these names are called at; simulated ones are called nowhere."""
    return {_provider(model) for model in models} - {_SIMULATED}


def _provider(model: str) -> str:
    prefix, _, rest = model.partition("/")
    return f"{prefix}/{rest.partition('/')[0]}" if prefix == _GENERIC else prefix
