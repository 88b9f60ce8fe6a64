"""Telemetry of the remote sandbox service, forwarded as it is."""

import re
from collections.abc import Awaitable
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query
from pydantic import JsonValue

from assay.api.dependencies import ApiServices, Services
from assay.api.errors import ProblemError, invalid, problems
from assay.api.schemas.fields import plain_json
from assay.domain.errors import SandboxError
from assay.domain.json_value import Json
from assay.engine.sandbox.health import SandboxTelemetry

router = APIRouter(
    prefix="/api/ops/sandy",
    tags=["operations"],
    responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY),
)

_ID = re.compile(r"[\w.-]{1,128}", re.ASCII)
_MAX_IDS: Final = 100
# Percent-encoded, it still fits into the 64 KiB that the server reads of a request line.
_MAX_CHARACTERS: Final = 5_000


@router.get("/resources")
async def show_sandy_resources(services: Services) -> JsonValue:
    """Processors, caches and disk of the host; 503 if the service cannot be reached."""
    return await _forwarded(_configured(services).resources())


@router.get("/metrics")
async def show_sandy_metrics(
    services: Services, hours: Annotated[int, Query(ge=1, le=48, description="How far back")] = 1
) -> JsonValue:
    """The load of the host over time; 503 if the service cannot be reached."""
    return await _forwarded(_configured(services).metrics(hours=hours))


@router.get("/sandboxes")
async def show_sandy_sandboxes(
    services: Services,
    ids: Annotated[
        str, Query(max_length=_MAX_CHARACTERS, description="Ids separated by commas; all if empty")
    ] = "",
) -> JsonValue:
    """The resources that sandboxes use; 503 if the service cannot be reached."""
    wanted = tuple(part.strip() for part in ids.split(",") if part.strip())
    if len(wanted) > _MAX_IDS or not all(map(_ID.fullmatch, wanted)):
        raise invalid("ids", f"must be up to {_MAX_IDS} sandbox ids, separated by commas")
    return await _forwarded(_configured(services).sandboxes(wanted))


async def _forwarded(response: Awaitable[Json]) -> JsonValue:
    try:
        return plain_json(await response)
    except SandboxError as error:
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, error.message, code=error.code) from error


def _configured(services: ApiServices) -> SandboxTelemetry:
    if services.sandbox_telemetry is None:
        detail = "no remote sandbox service is configured: set SANDY_BASE_URL on the server"
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, code="no-sandbox-service")
    return services.sandbox_telemetry
