"""The models that a run can use."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.dependencies import Services
from assay.api.errors import problems
from assay.api.runs.model_names import built_in_models
from assay.api.schemas.models import Model, ModelList, ModelPage, ModelQuery, Provider, RegistryQuery
from assay.engine.stores.registry import ModelFilter

router = APIRouter(prefix="/api/models", tags=["models"])


@router.get("", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_models(services: Services, wanted: Annotated[RegistryQuery, Query()]) -> ModelList:
    """The built-in models, the active models of the registry, and the configured providers."""
    providers = tuple(
        Provider(
            prefix=one.prefix,
            is_ready=one.is_ready,
            base_url=one.base_url,
            key_variable=one.key_variable,
            has_key=one.has_key,
        )
        for one in services.directory.providers()
        if one.prefix.endswith("/")
    )
    part = (wanted.search or "").casefold()
    built_in = [
        Model.named(name)
        for name in built_in_models(services)
        if part in name.casefold() and wanted.provider in (None, name.partition("/")[0])
    ]
    first = built_in[wanted.offset : wanted.offset + wanted.limit]
    registered = await services.stores.registry.page(
        ModelFilter(
            search=wanted.search,
            provider=wanted.provider,
            limit=wanted.limit - len(first),
            offset=max(0, wanted.offset - len(built_in)),
            with_inactive=wanted.with_inactive,
        )
    )
    return ModelList(
        models=(*first, *map(Model.registered, registered.models)),
        total=len(built_in) + registered.total,
        limit=wanted.limit,
        offset=wanted.offset,
        providers=providers,
    )


# A path, because a generic endpoint has two parts: `openai-api/my-lab`.
@router.get(
    "/{prefix:path}",
    responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.BAD_GATEWAY),
)
async def list_models_of(
    prefix: str, services: Services, wanted: Annotated[ModelQuery, Query()]
) -> ModelPage:
    """The models that an endpoint lists, with the names that runs use."""
    prefix = prefix.strip("/")
    built_in = [name for name in built_in_models(services) if name.startswith(f"{prefix}/")]
    if built_in:
        return ModelPage.of([Model.named(name) for name in built_in], wanted)
    served = await services.directory.served(prefix)
    return ModelPage.of([Model.served(prefix, one) for one in served], wanted)
