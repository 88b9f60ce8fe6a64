"""What is known about models: OpenRouter's list, and those of LM Studio on this machine."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query

from assay.api.dependencies import ApiServices, Caches, Services
from assay.api.errors import ProblemError, problems
from assay.api.harness.access import BENCHMARK_TOKEN
from assay.api.harness.ids import required_model
from assay.api.schemas.harness import (
    LM_STUDIO,
    HarnessCapabilities,
    LmStudioModel,
    LmStudioModels,
    LmStudioSwitch,
    LmStudioSwitched,
)
from assay.domain.errors import UnknownNameError, nearest_names
from assay.engine.models.local_models import LocalModels

router = APIRouter(prefix="/models", tags=["code harness"])

_THINKING: Final = ":thinking"
_LM_STUDIO_PROBLEMS: Final = problems(HTTPStatus.BAD_GATEWAY)


@router.get(
    "/capabilities",
    responses=problems(
        HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.BAD_GATEWAY
    ),
)
async def show_capabilities(
    model_id: Annotated[
        str, Query(description="The model as OpenRouter lists it, with or without its prefix")
    ],
    caches: Caches,
) -> HarnessCapabilities:
    """What a model supports according to OpenRouter's list, which is read at most once a minute."""
    slug = required_model(model_id).removeprefix("openrouter/")
    known = await caches.openrouter_models.get()
    if slug not in known:
        raise UnknownNameError("model in OpenRouter's list", slug, nearest=nearest_names(slug, known))
    variant = f"{slug.removesuffix(_THINKING)}{_THINKING}"
    return HarnessCapabilities.of(model_id, known[slug], variant if variant in known else None)


@router.get("/lmstudio", responses=_LM_STUDIO_PROBLEMS)
async def list_lm_studio_models(services: Services) -> LmStudioModels:
    """The models that LM Studio has on the server's machine; 503 if it is not installed there."""
    found = await _lm_studio(services).models()
    return LmStudioModels(models=tuple(map(LmStudioModel.of, found)))


@router.post(
    "/lmstudio/switch",
    responses=_LM_STUDIO_PROBLEMS
    | problems(
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    ),
    dependencies=[BENCHMARK_TOKEN],
)
async def switch_lm_studio_model(request: LmStudioSwitch, services: Services) -> LmStudioSwitched:
    """Unload all models of LM Studio and load this one; answers when it is loaded."""
    key = required_model(request.model_id).removeprefix(f"{LM_STUDIO}/")
    await _lm_studio(services).switch(key)
    return LmStudioSwitched(model_id=f"{LM_STUDIO}/{key}")


def _lm_studio(services: ApiServices) -> LocalModels:
    found = services.lm_studio
    if found is None or not found.is_installed:
        detail = "LM Studio is not installed on the server: its program `lms` is not on PATH"
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, code="no-lm-studio")
    return found
