"""Endpoints for operators."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from assay.api.dependencies import Caches, Services
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
    services: Services, caches: Caches, query: Annotated[OverviewQuery, Query()]
) -> Overview:
    """Workers, queue, and when runs are expected to start and finish."""
    return await overview(services, caches, minutes=query.minutes)


@router.get("/api/ops/sandbox")
async def show_sandboxes(caches: Caches) -> SandboxReport:
    """The sandboxes that can execute model code on this machine, found by trying; at most a minute old."""
    return await caches.sandboxes.get()


@router.get("/metrics", response_class=Response, responses=_TEXT)
async def show_metrics(caches: Caches) -> Response:
    """Queue, runs, attempts by outcome, latencies, workers, calls in flight; at most a few seconds old."""
    return Response(await caches.metrics.get(), media_type=CONTENT_TYPE_LATEST)
