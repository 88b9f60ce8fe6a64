"""Costs of runs on data sets and their live progress, in the contract of the batch UI."""

import asyncio
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query, WebSocket
from starlette.websockets import WebSocketDisconnect

from assay.api.access.actor import actor_of, require_identity, viewer_of
from assay.api.caches import ApiCaches
from assay.api.dependencies import ApiServices, Services
from assay.api.errors import ProblemError, problems
from assay.api.operations.costs import priced, pricing, run_cost, usage_summary
from assay.api.runs.dataset_runs import dataset_run, run_id_of
from assay.api.runs.model_names import registered_name, require_known_models
from assay.api.schemas.batch.workbench import (
    BudgetAlert,
    BudgetRequest,
    CostEstimate,
    CostEstimateRequest,
    DatasetRunCost,
    UsageQuery,
    UsageSummary,
    WorkbenchProgress,
)
from assay.domain.datasets.dataset import PREFIX
from assay.domain.run import RunSpec
from assay.engine.execution.create import price_snapshot

router = APIRouter(prefix="/admin/workbench", tags=["data sets"])
live = APIRouter()

_POSTED: Final = problems(
    HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY
)
_EVERY_S: Final = 2.0
_REFUSED: Final = 1008


@router.get("/cost/{benchmark_id}", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_dataset_run_cost(benchmark_id: str, services: Services) -> DatasetRunCost:
    """What a run on a data set has cost so far."""
    return run_cost(await dataset_run(services.stores, benchmark_id))


@router.post("/estimate-cost", responses=_POSTED | problems(HTTPStatus.NOT_FOUND))
async def estimate_dataset_cost(request: CostEstimateRequest, services: Services) -> CostEstimate:
    """What a batch of this size would cost at the current price."""
    model = await registered_name(request.model_id, services)
    await require_known_models([model], services.models)
    spec = RunSpec((model,), (PREFIX,))
    price = (await price_snapshot(spec, services.models, services.stores.registry))[model]
    sent, received = request.avg_prompt_tokens, request.avg_completion_tokens
    number = request.num_requests
    return CostEstimate(
        num_requests=number,
        total_prompt_tokens=number * sent,
        total_completion_tokens=number * received,
        total_tokens=number * (sent + received),
        estimated_cost=priced(price, input_tokens=number * sent, output_tokens=number * received),
        cost_per_request=priced(price, input_tokens=sent, output_tokens=received),
        pricing=pricing(price),
    )


@router.get("/usage-summary", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_usage_summary(services: Services, wanted: Annotated[UsageQuery, Query()]) -> UsageSummary:
    """What runs on data sets have used, by model."""
    if wanted.model_id is not None:
        wanted = wanted.model_copy(update={"model_id": await registered_name(wanted.model_id, services)})
    return await usage_summary(services, wanted)


@router.post("/budget-alert", responses=_POSTED)
async def check_budget(request: BudgetRequest, services: Services) -> BudgetAlert:
    """How much of a budget the runs on data sets have used; `config.budget_usd` of a run limits it."""
    used = await usage_summary(services, UsageQuery())
    share = used.total_cost / request.budget_limit
    is_reached = share >= request.alert_threshold
    return BudgetAlert(
        current_cost=used.total_cost,
        budget_limit=request.budget_limit,
        usage_pct=share,
        remaining=request.budget_limit - used.total_cost,
        alert=is_reached,
        alert_threshold=request.alert_threshold,
        status="critical" if share >= 1 else "warning" if is_reached else "ok",
        unpriced_jobs=used.unpriced_jobs,
    )


@live.websocket("/ws/workbench")
async def stream_workbench(websocket: WebSocket) -> None:
    """The progress of all runs on data sets that have not ended, every two seconds."""
    try:
        actor = await actor_of(websocket)
        require_identity(actor)
    except ProblemError as error:
        await websocket.close(_REFUSED, error.problem.detail)
        return
    services: ApiServices = websocket.app.state.services
    seen = services.seen_by(viewer_of(actor, services))
    caches: ApiCaches = websocket.app.state.caches
    await websocket.accept()
    closed = asyncio.create_task(_closed(websocket))
    try:
        while not closed.done():
            await websocket.send_text((await _seen(seen, await caches.workbench.get())).model_dump_json())
            await asyncio.wait([closed], timeout=_EVERY_S)
    except WebSocketDisconnect:
        pass
    finally:
        closed.cancel()


async def _seen(services: ApiServices, progress: WorkbenchProgress) -> WorkbenchProgress:
    """The jobs that the viewer may see."""
    run_ids = {job.benchmark_id: run_id_of(job.benchmark_id) for job in progress.jobs}
    seen = await services.stores.runs.seen(set(run_ids.values()))
    jobs = tuple(job for job in progress.jobs if run_ids[job.benchmark_id] in seen)
    return progress.model_copy(update={"jobs": jobs})


async def _closed(websocket: WebSocket) -> None:
    """Messages of the client are ignored."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
