"""How the host of the remote sandbox service fares: its own words, passed on."""

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
_MOST_IDS: Final = 500


@router.get("/resources")
async def show_sandy_resources(services: Services) -> JsonValue:
    """Processors, memory and disk of the host; 503 where the service cannot be asked."""
    return await _passed_on(_configured(services).resources())


@router.get("/metrics")
async def show_sandy_metrics(
    services: Services, hours: Annotated[int, Query(ge=1, le=48, description="How far back")] = 1
) -> JsonValue:
    """How busy the host was; 503 where the service cannot be asked."""
    return await _passed_on(_configured(services).metrics(hours=hours))


@router.get("/sandboxes")
async def show_sandy_sandboxes(
    services: Services,
    ids: Annotated[str, Query(max_length=20_000, description="Ids with commas between; all if empty")] = "",
) -> JsonValue:
    """What single sandboxes use; 503 where the service cannot be asked."""
    wanted = tuple(part.strip() for part in ids.split(",") if part.strip())
    if len(wanted) > _MOST_IDS or not all(map(_ID.fullmatch, wanted)):
        raise invalid("ids", f"must be up to {_MOST_IDS} ids of sandboxes, with commas between")
    return await _passed_on(_configured(services).sandboxes(wanted))


async def _passed_on(told: Awaitable[Json]) -> JsonValue:
    try:
        return plain_json(await told)
    except SandboxError as error:
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, error.message, code=error.code) from error


def _configured(services: ApiServices) -> SandboxTelemetry:
    if services.sandbox_telemetry is None:
        detail = "no remote sandbox service is named: set SANDY_BASE_URL on the server"
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, code="no-sandbox-service")
    return services.sandbox_telemetry
