"""The state of the installation."""

from fastapi import APIRouter

from assay.api.dependencies import ApiServices, Services
from assay.api.schemas.system import Health, Status
from assay.domain.run import State

router = APIRouter(prefix="/api", tags=["system"])


@router.get("/health")
@router.head("/health", include_in_schema=False)
async def health() -> Health:
    """Whether this process answers; needs neither the database nor a key."""
    return Health()


@router.get("/status")
async def status(services: Services) -> Status:
    """Whether new runs are accepted, and how many there are."""
    return await system_status(services)


async def system_status(services: ApiServices) -> Status:
    maintenance = services.maintenance
    counts = await services.stores.runs.count_by_state()
    return Status(
        maintenance_mode=maintenance.is_on,
        message=maintenance.message if maintenance.is_on else "",
        version=services.version,
        running=counts[State.RUNNING],
        queued=counts[State.QUEUED],
        paused=counts[State.PAUSED],
        idle=not (await services.engine.queue.depth()).running,
    )
