"""What only the operator may do."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query

from assay.api.access.actor import CurrentActor
from assay.api.dependencies import Services
from assay.api.errors import ProblemError, problems
from assay.api.operations.system_status import system_status
from assay.api.routes.runs import run_detail
from assay.api.schemas.auth import AuditPage
from assay.api.schemas.registry import SyncQuery, SyncReport
from assay.api.schemas.runs import RunDetail
from assay.api.schemas.system import MaintenanceRequest, Status
from assay.domain.errors import IllegalTransitionError, UnknownNameError
from assay.engine.execution import control
from assay.engine.models.registry import sync_models as follow_catalogues

SETTING = "ADMIN_SECRET"


async def _must_be_admin(
    services: Services, actor: CurrentActor, x_admin_secret: Annotated[str | None, Header()] = None
) -> None:
    if actor.is_admin:
        return
    if actor.user is not None and x_admin_secret is None:
        raise ProblemError(HTTPStatus.FORBIDDEN, "only an admin may do this", code="role-needed")
    if not services.admin_secret:
        detail = f"admin calls are switched off: set {SETTING} on the server and send it as X-Admin-Secret"
        raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="admin-disabled")
    raise ProblemError(
        HTTPStatus.UNAUTHORIZED,
        "the header X-Admin-Secret is missing or wrong",
        code="wrong-secret",
        headers={"WWW-Authenticate": "X-Admin-Secret"},
    )


router = APIRouter(
    prefix="/api/admin",
    tags=["admin"],
    dependencies=[Depends(_must_be_admin)],
    responses=problems(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY),
)


@router.post("/runs/{run_id}/requeue", responses=problems(HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT))
async def requeue_run(run_id: str, services: Services) -> RunDetail:
    """Open a failed or canceled run again: what was not done, and what ended without a verdict."""
    try:
        run = await services.stores.runs.run(run_id)
        await control.requeue(services.engine.lifecycle, run.id)
    except (IllegalTransitionError, UnknownNameError) as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, error.message, code=error.code) from error
    return await run_detail(services, run.id)


@router.post("/maintenance", responses=problems(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE))
async def set_maintenance(request: MaintenanceRequest, services: Services) -> Status:
    """Refuse new runs and start no more shards, or go on; what is under way is finished first.

    The workers of the whole installation follow; other API processes refuse new runs only when they are told.
    """
    maintenance = services.maintenance
    await services.engine.queue.set_open(is_open=not request.enabled)
    maintenance.is_on = request.enabled
    maintenance.message = request.message or maintenance.message
    return await system_status(services)


@router.post("/sync-models", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.BAD_GATEWAY))
async def sync_models(services: Services, wanted: Annotated[SyncQuery, Query()]) -> SyncReport:
    """Bring the registry of models to what the catalogues of providers list now."""
    now = services.engine.clock.now()
    done = await follow_catalogues(
        services.stores.registry, services.catalogues, provider=wanted.provider, at=now
    )
    return SyncReport.of(done)


@router.get("/audit")
async def show_audit_log(
    services: Services,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0, le=10**12)] = 0,
) -> AuditPage:
    """Who signed in, and who asked for what to be changed, newest first."""
    entries = await services.stores.identity.audit_log(limit=limit, offset=offset)
    return AuditPage.of(entries, limit=limit, offset=offset)
