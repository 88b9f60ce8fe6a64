"""For whoever keeps the installation running."""

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from assay.api.dependencies import Memory, Services
from assay.api.errors import Responses
from assay.api.overview import overview
from assay.api.schemas.overview import Overview

router = APIRouter(tags=["operations"])

_TEXT: Responses = {
    200: {"description": "Prometheus text format", "content": {"text/plain": {"schema": {"type": "string"}}}}
}


@router.get("/api/ops/overview")
async def show_overview(services: Services, memory: Memory) -> Overview:
    """Workers, queue, and when runs will start and finish."""
    return await overview(services, memory)


@router.get("/metrics", response_class=Response, responses=_TEXT)
async def show_metrics(memory: Memory) -> Response:
    """Queue depth, runs by state, attempts by outcome, workers; a few seconds old at most."""
    return Response(await memory.metrics.get(), media_type=CONTENT_TYPE_LATEST)
