"""Cancels, pauses, resumes, retries, requeues, changes and deletes runs."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from assay.api.access.actor import Audit, CurrentActor, require_control
from assay.api.dependencies import ApiServices, Services
from assay.api.errors import ProblemError, invalid, problems
from assay.api.routes.runs import run_detail
from assay.api.schemas.run_request import RunChange
from assay.api.schemas.runs import RemovedRuns, RunDetail
from assay.api.schemas.system import Done
from assay.domain.errors import IllegalTransitionError, UnknownNameError
from assay.domain.run import Budget, Run, State
from assay.engine.execution import control

router = APIRouter(prefix="/api/runs", tags=["runs"])

_MOST_DELETED = 200


async def _controlled(run_id: str, services: Services, actor: CurrentActor) -> Run:
    run = await services.stores.runs.get(run_id)
    require_control(run, actor, services)
    return run


ControlledRun = Annotated[Run, Depends(_controlled)]
_CHANGING = problems(
    HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY
)


@router.post(
    "/{run_id}/cancel",
    responses=problems(
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    ),
)
async def cancel_run(run_id: str, services: Services, actor: CurrentActor) -> Done:
    """Cancel a run that has not ended; stored results stay. 400 if it has ended or does not exist."""
    try:
        run = await _controlled(run_id, services, actor)
    except UnknownNameError as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, error.message, code=error.code) from error
    try:
        await control.cancel(services.engine.lifecycle, run.id)
    except IllegalTransitionError as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, error.message, code=error.code) from error
    return Done(message=f"run {run.id} is canceled; its stored results stay")


@router.post("/{run_id}/pause", responses=_CHANGING)
async def pause_run(run: ControlledRun, services: Services) -> RunDetail:
    """Pause a queued or running run; `resume` continues it."""
    await control.pause(services.engine.lifecycle, run.id)
    return await run_detail(services, run.id)


@router.post("/{run_id}/resume", responses=_CHANGING)
async def resume_run(run: ControlledRun, services: Services) -> RunDetail:
    """Continue a paused run; stored attempts are not repeated."""
    if not run.state.is_settled:
        raise IllegalTransitionError(f"run {run.id[:8]!r} is {run.state.value}: it cannot be resumed")
    await control.resume(services.engine.lifecycle, run.id)
    return await run_detail(services, run.id)


@router.post("/{run_id}/retry", responses=_CHANGING)
async def retry_run(run: ControlledRun, services: Services) -> RunDetail:
    """Repeat only the attempts that ended without a verdict."""
    _require_stopped(run)
    await control.retry_missing(services.engine.lifecycle, run.id)
    return await run_detail(services, run.id)


@router.post("/{run_id}/requeue", responses=_CHANGING)
async def reopen_run(run: ControlledRun, services: Services) -> RunDetail:
    """Open a failed or canceled run again: what was not done, and what ended without a verdict."""
    await control.requeue(services.engine.lifecycle, run.id)
    return await run_detail(services, run.id)


@router.patch(
    "/{run_id}", responses=_CHANGING | problems(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
)
async def change_run(run: ControlledRun, change: RunChange, services: Services, audit: Audit) -> RunDetail:
    """Change a run; workers apply it within a second. Only the description of an ended run may change."""
    audit.details = change.shown
    description = change.description(run.description)
    if not change.is_description:
        control.require_not_ended(run)
    if description != run.description:
        await services.stores.runs.describe(run.id, description)
    budget = change.budget(run.spec.budget)
    if budget != run.spec.budget:
        await _require_known_prices(services, run, budget)
        await control.set_budget(services.stores.runs, run.id, budget)
    if "max_connections" in change.model_fields_set:
        await control.set_connections(services.stores.runs, run.id, change.max_connections or "default")
    if change.priority is not None:
        await control.set_priority(services.engine.lifecycle, run.id, change.priority)
    return await run_detail(services, run.id)


@router.delete("", responses=_CHANGING)
async def delete_runs(
    services: Services,
    actor: CurrentActor,
    audit: Audit,
    run: Annotated[
        list[str],
        Query(
            min_length=1,
            max_length=_MOST_DELETED,
            description="Id of a run, or the only start of one; may be given several times",
        ),
    ],
) -> RemovedRuns:
    """Delete runs for good; 409 while one of them is queued or running, and then none is deleted."""
    stores = services.stores
    found = {one.id: one for one in [await stores.runs.get(run_id) for run_id in run]}
    for one in found.values():
        require_control(one, actor, services)
        if not one.state.is_settled:
            raise IllegalTransitionError(
                f"run {one.id[:8]!r} is {one.state.value} and cannot be deleted; cancel or pause it first"
            )
    audit.details = " ".join(found)
    for run_id in found:
        await stores.runs.delete(run_id)
    await stores.runs.delete_unused_texts()
    await stores.offload.delete_unused_files()
    return RemovedRuns(runs=tuple(found))


async def _require_known_prices(services: ApiServices, run: Run, budget: Budget) -> None:
    for one in (await services.stores.runs.evaluations_of([run.id]))[run.id]:
        if budget.usd is not None and one.price is None:
            raise invalid("budget_usd", f"the price of {one.model!r} is unknown; give budget_tokens instead")


def _require_stopped(run: Run) -> None:
    if run.state in (State.QUEUED, State.RUNNING):
        raise IllegalTransitionError(
            f"run {run.id[:8]!r} is {run.state.value}: pause it or wait for its end before a retry"
        )
