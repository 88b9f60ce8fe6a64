"""Which models can be named in a run."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.dependencies import ApiServices, Services
from assay.api.errors import problems
from assay.api.schemas.models import ModelList, ModelPage, ModelQuery, Provider

router = APIRouter(prefix="/api/models", tags=["models"])


@router.get("", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_models(services: Services, wanted: Annotated[ModelQuery, Query()]) -> ModelList:
    """The built-in models, and which providers are set up."""
    providers = tuple(
        Provider(
            prefix=one.prefix, is_ready=one.is_ready, base_url=one.base_url, key_variable=one.key_variable
        )
        for one in services.directory.providers()
        if one.prefix.endswith("/")
    )
    page = ModelPage.of(_built_in(services), wanted)
    return ModelList(**dict(page), providers=providers)


# A path, because a generic endpoint has two parts: `openai-api/my-lab`.
@router.get(
    "/{prefix:path}",
    responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.BAD_GATEWAY),
)
async def list_models_of(
    prefix: str, services: Services, wanted: Annotated[ModelQuery, Query()]
) -> ModelPage:
    """The models an endpoint lists, by the names to give them in a run."""
    prefix = prefix.strip("/")
    built_in = [name for name in _built_in(services) if name.startswith(f"{prefix}/")]
    if built_in:
        return ModelPage.of(built_in, wanted)
    served = await services.directory.served(prefix)
    return ModelPage.of([f"{prefix}/{name}" for name in served], wanted)


def _built_in(services: ApiServices) -> list[str]:
    return [one.prefix for one in services.directory.providers() if not one.prefix.endswith("/")]
