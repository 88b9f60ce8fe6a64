"""Finds the registered models that a caller names by what their catalogue calls them."""

from assay.api.dependencies import ApiServices
from assay.api.errors import invalid
from assay.api.schemas.run_request import RunRequest

_GENERIC = "openai-api"


async def with_registered_names(request: RunRequest, services: ApiServices) -> RunRequest:
    """The same request with slugs and chute ids written as runs name models; other names stay as they are.

    A name that begins with a provider that is ready here is that provider's, whatever the registry holds.
    """
    ready = {one.prefix.partition("/")[0] for one in services.directory.providers() if one.is_ready}
    is_elsewhere = request.config is not None and request.config.base_url is not None
    names: list[str] = []
    for place, asked in enumerate(request.asked_models):
        name = asked.strip()
        prefix = name.partition("/")[0]
        wanted = (request.provider or prefix).strip().lower()
        if not is_elsewhere and prefix != _GENERIC and (prefix not in ready or prefix != wanted):
            field = "model_id" if request.models is None else f"models.{place}"
            name = await _registered(name, services, provider=request.provider and wanted, field=field)
        names.append(name)
    changed = {"model_id": names[0]} if request.models is None else {"models": names}
    return request.model_copy(update=changed)


async def _registered(name: str, services: ApiServices, *, provider: str | None, field: str) -> str:
    called = await services.stores.registry.models_called(name)
    ids = [one.id for one in called if provider in (None, one.listed.provider)]
    if not ids or name in ids:
        return name
    if len(ids) > 1:
        raise invalid(field, f"{name!r} is registered more than once: name one of {', '.join(ids)}")
    return ids[0]
