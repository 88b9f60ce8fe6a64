"""What is this, is it up, and does it take new work."""

from fastapi import APIRouter

from assay.api.dependencies import Services
from assay.api.schemas.system import Health, Status
from assay.api.stored import count_runs
from assay.domain.run import State

router = APIRouter(prefix="/api", tags=["system"])


@router.get("/health")
async def health() -> Health:
    return Health()


@router.get("/status")
async def status(services: Services) -> Status:
    return Status(
        maintenance_mode=services.maintenance,
        message=services.maintenance_message if services.maintenance else "",
        version=services.version,
        running=await count_runs(services.store, State.RUNNING),
        queued=await count_runs(services.store, State.QUEUED),
    )
