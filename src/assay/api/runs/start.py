"""Starts runs: every route that starts one ends here."""

from dataclasses import replace
from http import HTTPStatus

from assay.api.access.actor import Actor
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.api.runs.caller import caller_for
from assay.domain.access.visibility import Visibility
from assay.domain.run import Description, Run, RunSpec
from assay.engine.execution.create import create_run


async def start_run(
    spec: RunSpec,
    actor: Actor,
    services: ApiServices,
    *,
    visibility: Visibility = Visibility.TEAM,
    idempotency_key: str | None = None,
    request_hash: str | None = None,
) -> Run:
    """A user's run counts against their limit; 401 and 403 if the login cannot be used for its models."""
    caller = await caller_for(spec.models, actor, services)
    if caller.owner is not None:
        caller = replace(caller, most_active=services.max_active_runs)
    if idempotency_key is not None:
        caller = replace(caller, idempotency_key=idempotency_key, request_hash=request_hash)
    return await create_run(services.engine, spec, caller, description=Description(visibility=visibility))


def require_no_maintenance(services: ApiServices) -> None:
    if services.maintenance.is_on:
        detail = services.maintenance.message
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, code="maintenance")
