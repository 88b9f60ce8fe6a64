"""For whoever keeps the installation running."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from assay.api.dependencies import Memory, Services
from assay.api.errors import Responses, problems
from assay.api.operations.overview import overview
from assay.api.schemas.overview import Overview, OverviewQuery
from assay.api.schemas.sandboxes import SandboxReport

router = APIRouter(tags=["operations"])

_TEXT: Responses = {
    200: {"description": "Prometheus text format", "content": {"text/plain": {"schema": {"type": "string"}}}}
}


@router.get("/api/ops/overview", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_overview(
    services: Services, memory: Memory, query: Annotated[OverviewQuery, Query()]
) -> Overview:
    """Workers, queue, and when runs will start and finish."""
    return await overview(services, memory, minutes=query.minutes)


@router.get("/api/ops/sandbox")
async def show_sandboxes(memory: Memory) -> SandboxReport:
    """Where code of models can run on this machine, found by trying; a minute old at most."""
    return await memory.sandboxes.get()


@router.get("/metrics", response_class=Response, responses=_TEXT)
async def show_metrics(memory: Memory) -> Response:
    """Queue, runs, attempts by outcome, latencies, workers, calls in flight; a few seconds old at most."""
    return Response(await memory.metrics.get(), media_type=CONTENT_TYPE_LATEST)
