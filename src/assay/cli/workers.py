"""Makes the workers that commands run."""

from assay.adapters.store.sql import open_store
from assay.engine.runs import Engine
from assay.settings import Settings
from assay.worker.loop import WorkerLoop, WorkerOptions, fresh_worker_id


def worker_loop(
    settings: Settings,
    engine: Engine,
    *,
    slots: int | None = None,
    grace_s: float = 20.0,
    worker_id: str | None = None,
    models: tuple[str, ...] = (),
) -> WorkerLoop:
    """A worker over the engine; without an id of its own it gets one that no other start has."""
    options = WorkerOptions(
        slots=slots or settings.worker_max_concurrent,
        lease_s=5 * settings.worker_heartbeat_seconds,
        grace_s=grace_s,
        worker_id=worker_id or fresh_worker_id(),
        models=models,
        endpoint_connections=settings.assay_endpoint_connections,
    )
    return WorkerLoop(engine, options, open_store=lambda: open_store(settings.store_url))
