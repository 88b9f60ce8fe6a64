"""Runs: start them, see how they stand."""

import asyncio
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from assay.api.asked_run import asked_run, must_be_of_one_provider, request_hash
from assay.api.callers_key import CallersKey
from assay.api.dependencies import ApiServices, Services
from assay.api.duration_estimate import expected_duration
from assay.api.errors import ProblemError, problems
from assay.api.registered_names import with_registered_names
from assay.api.schemas.run_estimate import RunEstimate
from assay.api.schemas.run_request import RunRequest
from assay.api.schemas.runs import Run, RunDetail, RunList, RunQuery
from assay.api.stored import run_page, stored_run, stored_runs
from assay.engine import runs
from assay.engine.estimate import Estimate, estimates
from assay.engine.ports import RunFilter
from assay.engine.stock import pinned

router = APIRouter(prefix="/api/runs", tags=["runs"])

_ASKING = problems(
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.NOT_IMPLEMENTED,
    HTTPStatus.BAD_GATEWAY,
)
_STARTING = _ASKING | problems(HTTPStatus.TOO_MANY_REQUESTS)

IdempotencyKey = Annotated[
    str | None,
    Header(min_length=1, max_length=255, description="The same key with the same body gives the same run"),
]


@router.get("", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_runs(services: Services, query: Annotated[RunQuery, Query()]) -> RunList:
    wanted = RunFilter(
        state=query.status,
        model=query.model_slug,
        benchmark=query.benchmark,
        owner=query.owner,
        limit=query.limit,
        offset=query.offset,
    )
    page = await run_page(services.store, wanted, model=query.model_id)
    found = await stored_runs(services.store, page.runs)
    return RunList(
        runs=tuple(Run.of(one) for one in found), total=page.total, limit=query.limit, offset=query.offset
    )


@router.post("", status_code=HTTPStatus.CREATED, responses=_STARTING)
async def create_run(
    request: RunRequest, services: Services, response: Response, idempotency_key: IdempotencyKey = None
) -> RunDetail:
    """Start a run; 503 while the server is in maintenance."""
    caller = runs.Caller(idempotency_key=idempotency_key)
    return await _started(request, services, caller, response)


@router.post("/api", status_code=HTTPStatus.CREATED, responses=_STARTING | problems(HTTPStatus.UNAUTHORIZED))
async def create_run_with_key(
    request: RunRequest,
    services: Services,
    response: Response,
    api_key: CallersKey,
    idempotency_key: IdempotencyKey = None,
) -> RunDetail:
    """Start a run whose models are called with the caller's own key, given as bearer token."""
    request = await with_registered_names(request, services)
    must_be_of_one_provider(request, services)
    owner = services.engine.vault.pseudonym(api_key)
    caller = runs.Caller(owner=owner, idempotency_key=idempotency_key, api_key=api_key)
    return await _started(request, services, caller, response)


async def _started(
    request: RunRequest, services: ApiServices, caller: runs.Caller, response: Response
) -> RunDetail:
    if services.maintenance.is_on:
        detail = services.maintenance.message
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, code="maintenance")
    spec = await asked_run(request, services)
    if caller.owner is not None:
        caller = replace(caller, most_active=services.max_active_runs)
    if caller.idempotency_key is not None:
        caller = replace(caller, request_hash=request_hash(request))
    run = await runs.create_run(services.engine, spec, caller)
    response.headers["Location"] = f"{router.prefix}/{run.id}"
    return RunDetail.of(await stored_run(services.store, run))


@router.post("/estimate", responses=_ASKING)
async def estimate_run(request: RunRequest, services: Services) -> RunEstimate:
    """What the same request to `POST /api/runs` would use; nothing is started."""
    spec = await pinned(await asked_run(request, services), services.store)
    prices = await runs.price_snapshot(services.engine, spec)
    judging = await runs.priced_judging(services.engine, spec)
    planned = await runs.planned_benchmarks(services.engine, spec)

    def made() -> tuple[Estimate, ...]:
        return estimates(planned, samples=spec.samples, prices=prices, judging=judging)

    found = await asyncio.to_thread(made)
    duration_s = await expected_duration(services.store, found)
    return RunEstimate.of(found, samples=spec.samples, duration_s=duration_s)


@router.get("/{run_id}", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_run(run_id: str, services: Services) -> RunDetail:
    """The run with this id, or the only one whose id starts so."""
    return await run_detail(services, run_id)


async def run_detail(services: ApiServices, run_id: str) -> RunDetail:
    return RunDetail.of(await stored_run(services.store, await services.store.run(run_id)))
