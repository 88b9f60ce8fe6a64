"""How the installation stands, in a few numbers."""

from assay.api.dependencies import ApiServices
from assay.api.schemas.system import Status
from assay.api.stored import count_runs
from assay.domain.run import State


async def system_status(services: ApiServices) -> Status:
    store, maintenance = services.store, services.maintenance
    return Status(
        maintenance_mode=maintenance.is_on,
        message=maintenance.message if maintenance.is_on else "",
        version=services.version,
        running=await count_runs(store, State.RUNNING),
        queued=await count_runs(store, State.QUEUED),
        paused=await count_runs(store, State.PAUSED),
        idle=not (await services.engine.queue.depth()).running,
    )
