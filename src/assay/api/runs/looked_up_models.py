"""Models that a caller with a key names: looked for in the catalogues anew where they are unknown."""

from typing import Annotated

from fastapi import Depends

from assay.api.dependencies import Memory, Services
from assay.api.runs.registered_names import with_registered_names
from assay.api.runs.run_spec import models_of, must_be_known
from assay.api.schemas.run_request import RunRequest
from assay.domain.errors import UnknownNameError


async def _looked_up(request: RunRequest, services: Services, memory: Memory) -> RunRequest:
    """With the names that runs know models by."""
    named = await with_registered_names(request, services)
    try:
        await must_be_known(models_of(named, services), services.engine)
    except UnknownNameError:
        await memory.registry.get()
        return await with_registered_names(request, services)
    return named


NamedRequest = Annotated[RunRequest, Depends(_looked_up)]
