"""What is this, is it up, and does it take new work."""

from fastapi import APIRouter

from assay.api.dependencies import Services
from assay.api.operations.system_status import system_status
from assay.api.schemas.system import Health, Status

router = APIRouter(prefix="/api", tags=["system"])


@router.get("/health")
async def health() -> Health:
    return Health()


@router.get("/status")
async def status(services: Services) -> Status:
    return await system_status(services)
