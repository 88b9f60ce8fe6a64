"""Starts runs, lists them, and shows one."""

import asyncio
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from assay.api.access.actor import CurrentActor
from assay.api.access.caller import BearerKey, signed_in_caller
from assay.api.dependencies import ApiServices, Caches, Services
from assay.api.errors import ProblemError, problems
from assay.api.runs.duration_estimate import expected_duration
from assay.api.runs.model_names import NamedRequest, require_one_provider
from assay.api.runs.run_spec import request_hash, run_spec
from assay.api.schemas.run_estimate import RunEstimate
from assay.api.schemas.run_request import RunRequest
from assay.api.schemas.runs import RunDetail, RunList, RunQuery
from assay.engine.execution import create
from assay.engine.planning.estimate import Estimate, estimates
from assay.engine.stores.runs import RunFilter

router = APIRouter(prefix="/api/runs", tags=["runs"])

_PLANNING = problems(
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.NOT_IMPLEMENTED,
    HTTPStatus.BAD_GATEWAY,
)
_STARTING = _PLANNING | problems(HTTPStatus.TOO_MANY_REQUESTS)

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1, max_length=255, description="A request with the same key and body returns the same run"
    ),
]


@router.get("", response_model=RunList, responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_runs(services: Services, caches: Caches, query: Annotated[RunQuery, Query()]) -> Response:
    wanted = RunFilter(
        state=query.status,
        model=query.model_slug,
        exact_model=query.model_id,
        benchmark=query.benchmark,
        owner=query.owner,
        sort=query.sort,
        limit=query.limit,
        offset=query.offset,
    )
    page = await services.stores.runs.page_with_outcomes(wanted)
    runs = b",".join(caches.listed_runs.json(one) for one in page.runs)
    rest = f'"total":{page.total},"limit":{query.limit},"offset":{query.offset}'
    return _json(b'{"runs":[%b],%b}' % (runs, rest.encode()))


@router.post("", status_code=HTTPStatus.CREATED, responses=_STARTING | problems(HTTPStatus.UNAUTHORIZED))
async def create_run(
    request: RunRequest,
    services: Services,
    response: Response,
    actor: CurrentActor,
    idempotency_key: IdempotencyKey = None,
) -> RunDetail:
    """Start a run; 503 while the server is in maintenance.

    A signed-in user owns the run, and its models are called with the user's own token. 401 if the session
    has ended, 403 if it does not include `chutes:invoke`.
    """
    caller = await signed_in_caller(request, actor, services)
    return await _start(request, services, replace(caller, idempotency_key=idempotency_key), response)


@router.post("/api", status_code=HTTPStatus.CREATED, responses=_STARTING | problems(HTTPStatus.UNAUTHORIZED))
async def create_run_with_key(
    api_key: BearerKey,
    request: NamedRequest,
    services: Services,
    response: Response,
    actor: CurrentActor,
    idempotency_key: IdempotencyKey = None,
) -> RunDetail:
    """Start a run whose models are called with the caller's own key, sent as bearer token."""
    require_one_provider(request, services)
    owner = actor.owner or services.engine.credentials.vault.pseudonym(api_key)
    caller = create.Caller(owner=owner, idempotency_key=idempotency_key, api_key=api_key)
    return await _start(request, services, caller, response)


async def _start(
    request: RunRequest, services: ApiServices, caller: create.Caller, response: Response
) -> RunDetail:
    if services.maintenance.is_on:
        detail = services.maintenance.message
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, code="maintenance")
    spec = await run_spec(request, services)
    if caller.owner is not None:
        caller = replace(caller, most_active=services.max_active_runs)
    if caller.idempotency_key is not None:
        caller = replace(caller, request_hash=request_hash(request))
    run = await create.create_run(services.engine, spec, caller)
    response.headers["Location"] = f"{router.prefix}/{run.id}"
    return await run_detail(services, run.id)


@router.post("/estimate", responses=_PLANNING)
async def estimate_run(request: RunRequest, services: Services) -> RunEstimate:
    """Estimate what the same request to `POST /api/runs` would use; nothing is started."""
    engine = services.engine
    spec = await engine.planner.with_dataset_versions(await run_spec(request, services))
    prices = await create.price_snapshot(spec, engine.models, engine.stores.registry)
    judging = await create.priced_judging(spec, engine.models, engine.stores.registry)
    planned = await engine.planner.plan(spec)

    def estimated() -> tuple[Estimate, ...]:
        return estimates(planned, samples=spec.samples, prices=prices, judging=judging)

    found = await asyncio.to_thread(estimated)
    duration_s = await expected_duration(services.stores.runs, found)
    return RunEstimate.of(found, samples=spec.samples, duration_s=duration_s)


@router.get(
    "/{run_id}",
    response_model=RunDetail,
    responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def show_run(run_id: str, services: Services, caches: Caches) -> Response:
    """The run with this id, or the only run whose id starts with it."""
    return _json(caches.detailed_runs.json(await services.stores.runs.get_with_outcomes(run_id)))


async def run_detail(services: ApiServices, run_id: str) -> RunDetail:
    return RunDetail.of(await services.stores.runs.get_with_outcomes(run_id))


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")
