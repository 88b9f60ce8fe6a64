"""Runs of the code catalogue: starts, lists, shows and continues them."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query

from assay.api.access.actor import CurrentActor
from assay.api.dependencies import Caches, Services
from assay.api.errors import problems
from assay.api.harness.access import BENCHMARK_TOKEN
from assay.api.harness.family import CODE, api_errors, not_made, resume, retry_errors, retry_one
from assay.api.harness.ids import RunIdPath, refused_as_bad_request, required_item, required_model
from assay.api.harness.run_spec import chosen_tasks, harness_run_spec
from assay.api.runs.start import require_no_maintenance, start_run
from assay.api.schemas.harness import (
    HarnessApiError,
    HarnessApiErrors,
    HarnessAttemptKey,
    HarnessCodeRunStarted,
    HarnessIncomplete,
    HarnessResumed,
    HarnessRetried,
    HarnessRunRequest,
    HarnessRuns,
    HarnessRunsQuery,
    HarnessRunSummary,
    HarnessSingleRetry,
)
from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.engine.code_harness.names import level_of

router = APIRouter(prefix="/runs", tags=["code harness"])

FOUND: Final = problems(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
CONTINUED: Final = FOUND | problems(HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT)
BODY: Final = problems(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
STARTED: Final = CONTINUED | BODY | problems(HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.BAD_GATEWAY)


@router.get("", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_harness_runs(
    services: Services, caches: Caches, query: Annotated[HarnessRunsQuery, Query()]
) -> HarnessRuns:
    """The newest runs of the code catalogue."""
    return await CODE.newest(services, caches, limit=query.limit)


@router.post("", responses=STARTED, dependencies=[BENCHMARK_TOKEN])
async def start_harness_run(
    request: HarnessRunRequest, services: Services, caches: Caches, actor: CurrentActor
) -> HarnessCodeRunStarted:
    """Start a run of the code catalogue; 400 for what is well formed and cannot be run.

    Without a list of tasks, those that cannot be tested on this server are left out.
    """
    require_no_maintenance(services)
    with refused_as_bad_request():
        tasks, left_out = await chosen_tasks(request, services, caches)
        run = await start_run(await harness_run_spec(request, tasks, services), actor, services)
    return HarnessCodeRunStarted(run_id=run.id, left_out=left_out)


@router.get("/{run_id}", responses=FOUND)
async def show_harness_run(run_id: RunIdPath, services: Services) -> HarnessRunSummary:
    """A run as its `summary.json`, with what it has so far."""
    return HarnessRunSummary.of(CODE.summary(await CODE.read(services, run_id)))


@router.get("/{run_id}/api-errors", responses=FOUND)
async def list_harness_api_errors(run_id: RunIdPath, services: Services) -> HarnessApiErrors:
    """The attempts that ended without a verdict, because no reply came or it could not be tested."""
    found = await CODE.read(services, run_id)
    errors = tuple(map(HarnessApiError.of, api_errors(found)))
    return HarnessApiErrors(run_id=found.run.id, api_error_count=len(errors), api_errors=errors)


@router.get("/{run_id}/incomplete", responses=FOUND)
async def list_harness_incomplete(run_id: RunIdPath, services: Services) -> HarnessIncomplete:
    """The attempts that the run has not made."""
    found = await CODE.read(services, run_id)
    missing = tuple(
        HarnessAttemptKey(
            task_id=key.item_id, model=one.model, sample_index=key.sample, thinking_level=level_of(one)
        )
        for one, key in not_made(found)
    )
    return HarnessIncomplete(run_id=found.run.id, incomplete_count=len(missing), incomplete_attempts=missing)


@router.post("/{run_id}/retry-api-errors", responses=CONTINUED, dependencies=[BENCHMARK_TOKEN])
async def retry_harness_api_errors(
    run_id: RunIdPath, services: Services, actor: CurrentActor
) -> HarnessRetried:
    """Make the attempts without a verdict again, in the same run; attempts with one are never repeated."""
    return await retry_errors(await CODE.controlled(services, run_id, actor), services)


@router.post("/{run_id}/retry-single", responses=CONTINUED | BODY, dependencies=[BENCHMARK_TOKEN])
async def retry_harness_attempt(
    run_id: RunIdPath, request: HarnessSingleRetry, services: Services, actor: CurrentActor
) -> HarnessRetried:
    """Make one attempt without a verdict again, in the same run; 400 for an attempt with a verdict."""
    key = AttemptKey(ItemId(required_item(request.task_id)), request.sample_index)
    model = None if request.model is None else required_model(request.model)
    found = await CODE.controlled(services, run_id, actor)
    return await retry_one(found, key, services, model=model, level=request.thinking_level)


@router.post("/{run_id}/resume", responses=CONTINUED, dependencies=[BENCHMARK_TOKEN])
async def resume_harness_run(run_id: RunIdPath, services: Services, actor: CurrentActor) -> HarnessResumed:
    """Make the attempts that the run has not made: it was stopped, or its process has ended."""
    return await resume(await CODE.controlled(services, run_id, actor), services)
