"""Runs of the code catalogue: starts, lists, shows and continues them."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query

from assay.api.access.actor import CurrentActor, require_control
from assay.api.caches import ApiCaches
from assay.api.dependencies import ApiServices, Caches, Services
from assay.api.errors import ProblemError, problems
from assay.api.harness.access import BENCHMARK_TOKEN
from assay.api.harness.ids import RunIdPath, refused_as_bad_request, required_item, required_model
from assay.api.harness.run_spec import harness_run_spec
from assay.api.runs.start import require_no_maintenance, start_run
from assay.api.schemas.harness import (
    HarnessApiError,
    HarnessApiErrors,
    HarnessAttemptKey,
    HarnessIncomplete,
    HarnessRetried,
    HarnessRun,
    HarnessRunRequest,
    HarnessRuns,
    HarnessRunsQuery,
    HarnessRunStarted,
    HarnessRunSummary,
    HarnessSingleRetry,
)
from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.errors import IllegalTransitionError
from assay.domain.json_value import Json
from assay.domain.run import Evaluation, Run, State
from assay.engine.code_harness.names import BENCHMARK, is_code_catalogue, level_of
from assay.engine.code_harness.summary import CodeRun, attempt_manifest, code_run, summary_document
from assay.engine.execution import control
from assay.engine.fleet.liveness import with_interruptions
from assay.engine.stores.runs import RunFilter

router = APIRouter(prefix="/runs", tags=["code harness"])

_FOUND: Final = problems(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
_CONTINUED: Final = _FOUND | problems(HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT)
_BODY: Final = problems(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
_REOPENED: Final = frozenset({State.FAILED, State.CANCELED})


@router.get("", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_harness_runs(
    services: Services, caches: Caches, query: Annotated[HarnessRunsQuery, Query()]
) -> HarnessRuns:
    """The newest runs of the code catalogue."""
    page = await services.stores.runs.page(RunFilter(benchmark_prefix=BENCHMARK, limit=query.limit))
    own = [run for run in page.runs if any(map(is_code_catalogue, run.spec.benchmarks))]
    return HarnessRuns(runs=tuple([await _listed(run, services, caches) for run in own]))


async def _listed(run: Run, services: ApiServices, caches: ApiCaches) -> HarnessRun:
    async def read() -> HarnessRun:
        return HarnessRun.of(summary_document(await code_run(services.stores, run.id)))

    if run.state is not State.SUCCEEDED:
        return await read()
    return await caches.harness_runs.get((run.id, run.finished_at), read)


@router.post(
    "",
    responses=_CONTINUED | _BODY | problems(HTTPStatus.BAD_GATEWAY),
    dependencies=[BENCHMARK_TOKEN],
)
async def start_harness_run(
    request: HarnessRunRequest, services: Services, actor: CurrentActor
) -> HarnessRunStarted:
    """Start a run of the code catalogue; 400 for what is well formed and cannot be run."""
    require_no_maintenance(services)
    with refused_as_bad_request():
        run = await start_run(await harness_run_spec(request, services), actor, services)
    return HarnessRunStarted(run_id=run.id)


@router.get("/{run_id}", responses=_FOUND)
async def show_harness_run(run_id: RunIdPath, services: Services) -> HarnessRunSummary:
    """A run as its `summary.json`, with what it has so far."""
    return HarnessRunSummary.of(summary_document(await code_run(services.stores, run_id)))


@router.get("/{run_id}/api-errors", responses=_FOUND)
async def list_harness_api_errors(run_id: RunIdPath, services: Services) -> HarnessApiErrors:
    """The attempts that ended without a verdict, because no reply came or it could not be tested."""
    found = await code_run(services.stores, run_id)
    errors = tuple(HarnessApiError.of(one) for one in found.attempts if one.status == "api_error")
    return HarnessApiErrors(run_id=found.run.id, count=len(errors), errors=errors)


@router.get("/{run_id}/incomplete", responses=_FOUND)
async def list_harness_incomplete(run_id: RunIdPath, services: Services) -> HarnessIncomplete:
    """The attempts that the run has not made."""
    found = await code_run(services.stores, run_id)
    missing = _not_made(found)
    return HarnessIncomplete(run_id=found.run.id, count=len(missing), incomplete=missing)


@router.post("/{run_id}/retry-api-errors", responses=_CONTINUED, dependencies=[BENCHMARK_TOKEN])
async def retry_harness_api_errors(
    run_id: RunIdPath, services: Services, actor: CurrentActor
) -> HarnessRetried:
    """Make the attempts without a verdict again, in the same run; attempts with one are never repeated."""
    found = await _controlled(run_id, services, actor)
    await _require_settled(found.run, services)
    with refused_as_bad_request():
        await control.retry_missing(services.engine.lifecycle, found.run.id)
    errors = [one for one in found.attempts if one.status == "api_error"]
    return HarnessRetried(run_id=found.run.id, attempts=len(errors))


@router.post("/{run_id}/retry-single", responses=_CONTINUED | _BODY, dependencies=[BENCHMARK_TOKEN])
async def retry_harness_attempt(
    run_id: RunIdPath, request: HarnessSingleRetry, services: Services, actor: CurrentActor
) -> HarnessRetried:
    """Make one attempt without a verdict again, in the same run; 400 for an attempt with a verdict."""
    task_id = required_item(request.task_id)
    model = None if request.model is None else required_model(request.model)
    found = await _controlled(run_id, services, actor)
    evaluation = _evaluation(found, model=model, level=request.thinking_level)
    key = AttemptKey(ItemId(task_id), request.sample_index)
    if key.item_id not in evaluation.item_ids or key.sample >= evaluation.samples:
        detail = f"run {found.run.id[:8]!r} has no attempt {key.sample} at {task_id!r}"
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail, code="unknown-name")
    with refused_as_bad_request():
        await control.retry_attempt(services.engine.lifecycle, evaluation, key)
    return HarnessRetried(run_id=found.run.id, attempts=1)


@router.post("/{run_id}/resume", responses=_CONTINUED, dependencies=[BENCHMARK_TOKEN])
async def resume_harness_run(run_id: RunIdPath, services: Services, actor: CurrentActor) -> HarnessRetried:
    """Make the attempts that the run has not made: it was stopped, or its process has ended."""
    found = await _controlled(run_id, services, actor)
    run, lifecycle = found.run, services.engine.lifecycle
    await _require_settled(run, services)
    missing = _not_made(found)
    if not missing:
        detail = f"run {run.id[:8]!r} has made all its attempts"
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail, code="nothing-to-do")
    with refused_as_bad_request():
        await (control.requeue if run.state in _REOPENED else control.resume)(lifecycle, run.id)
    return HarnessRetried(run_id=run.id, attempts=len(missing))


async def _controlled(run_id: str, services: ApiServices, actor: CurrentActor) -> CodeRun:
    found = await code_run(services.stores, run_id)
    require_control(found.run, actor, services)
    return found


async def _require_settled(run: Run, services: ApiServices) -> None:
    if run.state.is_settled:
        return
    stored = [await services.stores.runs.get_with_outcomes(run.id)]
    [found] = await with_interruptions(services.stores, stored, services.engine.queue.waiting)
    if not found.is_interrupted:
        raise IllegalTransitionError(f"run {run.id[:8]!r} {run.state.clause}: wait until it has ended")


def _not_made(found: CodeRun) -> tuple[HarnessAttemptKey, ...]:
    entries: list[Mapping[str, Json]] = [one for one in attempt_manifest(found) if isinstance(one, Mapping)]
    return tuple(HarnessAttemptKey.model_validate(one) for one in entries if one["status"] is None)


def _evaluation(found: CodeRun, *, model: str | None, level: str | None) -> Evaluation:
    """The only one that is meant; 400 if there are several or none."""
    meant = [
        one for one in found.evaluations if model in (None, one.model) and level in (None, level_of(one))
    ]
    if len(meant) == 1:
        return meant[0]
    names = ", ".join(f"{one.model!r} at {level_of(one)!r}" for one in found.evaluations)
    detail = f"name one model and thinking level of the run with model and thinking_level: {names}"
    raise ProblemError(HTTPStatus.BAD_REQUEST, detail, code="which-evaluation")
