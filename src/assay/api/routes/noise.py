"""What asking the same items again changes."""

from http import HTTPStatus

from fastapi import APIRouter

from assay.api.dependencies import Services
from assay.api.errors import problems
from assay.api.schemas.results.noise import Noise
from assay.engine.results.noise import noise_reports

router = APIRouter(prefix="/api/runs", tags=["runs"])


@router.get("/{run_id}/noise", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_noise(run_id: str, services: Services) -> Noise:
    """Spread of each model of a run with several samples against itself, by item."""
    run = await services.stores.runs.get(run_id)
    return Noise.of(run, await noise_reports(services.stores, run))
