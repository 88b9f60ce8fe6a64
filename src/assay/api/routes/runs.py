"""Starts runs, lists them, and shows one."""

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from assay.api.access.actor import Actor, CurrentActor
from assay.api.dependencies import ApiServices, Caches, Services
from assay.api.errors import problems
from assay.api.runs.caller import BEARER_KEY
from assay.api.runs.duration_estimate import expected_duration
from assay.api.runs.model_names import NamedRequest, registered_name
from assay.api.runs.preflight import Preflights
from assay.api.runs.run_spec import request_hash, run_spec
from assay.api.runs.start import require_no_maintenance, start_run
from assay.api.schemas.preflight import Preflight
from assay.api.schemas.run_estimate import RunEstimate
from assay.api.schemas.run_request import RunRequest
from assay.api.schemas.runs import RunDetail, RunList, RunQuery
from assay.engine.execution import create
from assay.engine.fleet.liveness import with_interruptions
from assay.engine.fleet.queue_estimate import UNKNOWN
from assay.engine.planning.estimate import Estimate, estimates
from assay.engine.stores.runs import RunFilter, StoredRun

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
    """A page of the runs that match."""
    model = None if query.model_id is None else await registered_name(query.model_id, services)
    wanted = RunFilter(
        state=query.status,
        model=query.model_slug,
        exact_model=model,
        benchmark=query.benchmark,
        owner=query.owner,
        name=query.name,
        tag=query.tag,
        search=query.search,
        is_archived=query.is_archived,
        sort=query.sort,
        limit=query.limit,
        offset=query.offset,
    )
    page = await services.stores.runs.page_with_outcomes(wanted)
    found = await _with_interruptions(services, page.runs)
    runs = b",".join(map(caches.listed_runs.json, found))
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

    A signed-in user owns the run, and models of the identity provider are called with the user's own token:
    401 if the session has ended, 403 if it does not include `chutes:invoke`. A bearer token that is not an
    access key is sent to the models, as by `POST /api/runs/api`.
    """
    return await _started(request, services, response, actor, idempotency_key)


@router.post(
    "/api",
    status_code=HTTPStatus.CREATED,
    responses=_STARTING | problems(HTTPStatus.UNAUTHORIZED),
    dependencies=[BEARER_KEY],
)
async def create_run_with_key(
    request: NamedRequest,
    services: Services,
    response: Response,
    actor: CurrentActor,
    idempotency_key: IdempotencyKey = None,
) -> RunDetail:
    """Start a run whose models are called with the caller's own key, sent as bearer token."""
    return await _started(request, services, response, actor, idempotency_key)


async def _started(
    request: RunRequest,
    services: ApiServices,
    response: Response,
    actor: Actor,
    idempotency_key: str | None,
) -> RunDetail:
    require_no_maintenance(services)
    spec = await run_spec(request, services)
    run = await start_run(
        spec,
        actor,
        services,
        visibility=request.visibility,
        idempotency_key=idempotency_key,
        request_hash=request_hash(request),
    )
    response.headers["Location"] = f"{router.prefix}/{run.id}"
    return await run_detail(services, run.id)


@router.post("/estimate", responses=_PLANNING)
async def estimate_run(request: RunRequest, services: Services) -> RunEstimate:
    """Estimate what the same request to `POST /api/runs` would use; nothing is started."""
    engine = services.engine
    spec = await engine.planner.resolved(await run_spec(request, services))
    prices = await create.price_snapshot(spec, engine.models, engine.stores.registry)
    judging = await create.priced_judging(spec, spec.judge, engine.models, engine.stores.registry)
    planned = await engine.planner.plan(spec)

    def estimated() -> tuple[Estimate, ...]:
        return estimates(planned, samples=spec.samples, prices=prices, judging=judging)

    found = await asyncio.to_thread(estimated)
    duration_s = await expected_duration(services.stores.runs, found)
    return RunEstimate.of(found, samples=spec.samples, duration_s=duration_s)


@router.post(
    "/preflight",
    responses=problems(
        HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY
    ),
)
async def check_run(
    request: RunRequest, services: Services, caches: Caches, actor: CurrentActor
) -> Preflight:
    """Check everything that the same request to `POST /api/runs` needs; nothing is started."""
    return await Preflights(services, actor, caches.sandboxes.get).of(request)


@router.get(
    "/{run_id}",
    response_model=RunDetail,
    responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def show_run(run_id: str, services: Services, caches: Caches) -> Response:
    """The run with this id, or the only run whose id starts with it; with its place in the queue."""
    found = await _stored(services, run_id)
    if found.run.state.is_settled or found.is_interrupted:
        return _json(caches.detailed_runs.json(found))
    run_id = found.run.id
    # A run may have been created since they were computed.
    outlooks = await caches.outlooks.get(covers=lambda known: run_id in known)
    return _json(RunDetail.of(found, outlooks.get(run_id, UNKNOWN)).model_dump_json().encode())


async def run_detail(services: ApiServices, run_id: str) -> RunDetail:
    return RunDetail.of(await _stored(services, run_id))


async def _stored(services: ApiServices, run_id: str) -> StoredRun:
    [found] = await _with_interruptions(services, [await services.stores.runs.get_with_outcomes(run_id)])
    return found


async def _with_interruptions(services: ApiServices, found: Sequence[StoredRun]) -> tuple[StoredRun, ...]:
    return await with_interruptions(services.stores, found, services.engine.queue.waiting)


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")
