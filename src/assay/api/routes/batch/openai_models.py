"""The models of this service in the form of the OpenAI API, for clients that list them."""

from http import HTTPStatus
from typing import Final

from fastapi import APIRouter

from assay.api.dependencies import Services
from assay.api.openai_errors import OpenAIRoute, openai_errors
from assay.api.runs.model_names import built_in_models, registered_name
from assay.api.schemas.batch.openai_batch import seconds
from assay.api.schemas.models import OpenAIModel, OpenAIModelList
from assay.domain.errors import UnknownNameError
from assay.domain.registry import RegisteredModel
from assay.engine.stores.registry import ModelFilter

router = APIRouter(prefix="/v1/models", tags=["OpenAI batch"], route_class=OpenAIRoute)

# OpenAI's list has no pages.
_ALL: Final = 100_000


@router.get("")
async def list_openai_models(services: Services) -> OpenAIModelList:
    """The built-in models and the active models of the registry, with the names that a batch uses."""
    registered = await services.stores.registry.page(ModelFilter(limit=_ALL))
    return OpenAIModelList(
        data=(*map(_built_in, built_in_models(services)), *map(_registered, registered.models))
    )


@router.get("/{model:path}", responses=openai_errors(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def retrieve_openai_model(model: str, services: Services) -> OpenAIModel:
    """One of the listed models, by its name; or by the slug or chute id of a registered one."""
    if model in built_in_models(services):
        return _built_in(model)
    name = await registered_name(model, services, field="model")
    for one in await services.stores.registry.named(name):
        if one.id == name:
            return _registered(one)
    raise UnknownNameError("model", model, remedy="GET /v1/models lists all")


def _built_in(name: str) -> OpenAIModel:
    return OpenAIModel(id=name, created=0, owned_by=name.partition("/")[0])


def _registered(model: RegisteredModel) -> OpenAIModel:
    return OpenAIModel(id=model.id, created=seconds(model.first_seen_at), owned_by=model.listed.provider)
