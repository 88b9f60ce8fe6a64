"""How the installation stands, in a few numbers."""

from assay.api.dependencies import ApiServices
from assay.api.schemas.system import Status
from assay.domain.run import State


async def system_status(services: ApiServices) -> Status:
    maintenance = services.maintenance
    counts = await services.stores.runs.state_counts()
    return Status(
        maintenance_mode=maintenance.is_on,
        message=maintenance.message if maintenance.is_on else "",
        version=services.version,
        running=counts[State.RUNNING],
        queued=counts[State.QUEUED],
        paused=counts[State.PAUSED],
        idle=not (await services.engine.queue.depth()).running,
    )
