"""Endpoints for administrators."""

from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query

from assay.api.access.actor import Audit, CurrentActor
from assay.api.dependencies import Services
from assay.api.errors import ProblemError, problems
from assay.api.routes.runs import run_detail
from assay.api.routes.system import system_status
from assay.api.schemas.auth import AuditPage, KnownUser, NewUser, UserList, UserRequest
from assay.api.schemas.models import SyncQuery, SyncReport
from assay.api.schemas.runs import RunDetail
from assay.api.schemas.system import MaintenanceRequest, Status
from assay.domain.errors import IllegalTransitionError, UnknownNameError
from assay.engine.execution import control
from assay.engine.identity.access_keys import new_key_user
from assay.engine.models import registry

SETTING = "ADMIN_SECRET"


async def _require_admin(
    services: Services, actor: CurrentActor, x_admin_secret: Annotated[str | None, Header()] = None
) -> None:
    if actor.is_admin:
        return
    if actor.user is not None and x_admin_secret is None:
        raise ProblemError(HTTPStatus.FORBIDDEN, "this needs the role admin", code="role-needed")
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
    dependencies=[Depends(_require_admin)],
    responses=problems(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY),
)


@router.post("/runs/{run_id}/requeue", responses=problems(HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT))
async def requeue_run(run_id: str, services: Services) -> RunDetail:
    """Queue a failed or canceled run again: missing attempts, and those that ended without a verdict."""
    try:
        run = await services.stores.runs.get(run_id)
        await control.requeue(services.engine.lifecycle, run.id)
    except (IllegalTransitionError, UnknownNameError) as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, error.message, code=error.code) from error
    return await run_detail(services, run.id)


@router.post("/maintenance", responses=problems(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE))
async def set_maintenance(request: MaintenanceRequest, services: Services, audit: Audit) -> Status:
    """Switch maintenance mode on or off: new runs are refused, and no shard is started.

    Shards in progress are finished. All workers obey; other API processes need a request of their own.
    """
    maintenance = services.maintenance
    audit.details = "on" if request.enabled else "off"
    await services.engine.queue.set_open(is_open=not request.enabled)
    maintenance.is_on = request.enabled
    maintenance.message = request.message or maintenance.message
    return await system_status(services)


@router.post("/sync-models", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.BAD_GATEWAY))
async def sync_models(services: Services, wanted: Annotated[SyncQuery, Query()]) -> SyncReport:
    """Update the registry of models from the lists of the providers."""
    now = services.clock.now()
    done = await registry.sync_models(
        services.stores.registry, services.model_lists, provider=wanted.provider, at=now
    )
    return SyncReport.of(done)


@router.get("/users")
async def list_users(services: Services) -> UserList:
    """Everybody who has signed in, and every holder of an access key, with its expiry."""
    return UserList(users=tuple(map(KnownUser.of, await services.stores.identity.users())))


@router.post(
    "/users",
    status_code=HTTPStatus.CREATED,
    responses=problems(HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
)
async def add_user(request: UserRequest, services: Services, audit: Audit) -> NewUser:
    """Make a user with an access key; 409 if there is one of this name."""
    audit.details = f"{request.name} as {request.role.value}"
    days = request.expires_in_days
    user, key = await new_key_user(
        request.name,
        request.role,
        store=services.stores.identity,
        clock=services.clock,
        lasts=None if days is None else timedelta(days=days),
    )
    return NewUser(**dict(KnownUser.of(user)), key=key.value)


@router.get("/audit")
async def show_audit_log(
    services: Services,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0, le=10**12)] = 0,
) -> AuditPage:
    """Sign-ins and changes, newest first."""
    entries = await services.stores.identity.audit_log(limit=limit, offset=offset)
    return AuditPage.of(entries, limit=limit, offset=offset)
