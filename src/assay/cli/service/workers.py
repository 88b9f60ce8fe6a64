"""Makes the workers that commands run."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from assay.adapters.store.database.url import located
from assay.adapters.store.stores import open_stores
from assay.domain.access.secret import Secret
from assay.domain.errors import ConflictError
from assay.engine.execution.engine import Engine
from assay.engine.execution.queue import WHOLE_QUEUE, Lane
from assay.engine.fleet.liveness import fresh_worker_id
from assay.settings import Settings
from assay.worker.loop import WorkerLoop, WorkerOptions


def worker_loop(
    settings: Settings,
    engine: Engine,
    *,
    slots: int | None = None,
    grace_s: float = 20.0,
    worker_id: str | None = None,
    lane: Lane = WHOLE_QUEUE,
) -> WorkerLoop:
    """A worker over the engine; without an id of its own it gets one that no other start has."""
    if settings.worker_only_api_key:
        owners = engine.credentials.vault.pseudonyms(Secret(settings.worker_only_api_key))
        lane = replace(lane, owners=(*lane.owners, *owners))
    options = WorkerOptions(
        slots=slots or settings.worker_max_concurrent,
        lease_s=5 * settings.worker_heartbeat_seconds,
        grace_s=grace_s,
        worker_id=worker_id or fresh_worker_id(),
        lane=lane,
        endpoint_connections=settings.assay_endpoint_connections,
    )
    return WorkerLoop(engine, options, open_stores=lambda: open_stores(settings.store_url))


@contextmanager
def sole_worker(settings: Settings) -> Generator[str | None]:
    """Hold the SQLite file for the worker of this process, and give that worker its id.

    `None` for PostgreSQL, which any number of workers may share. The system lets go of the file however the
    process ends.
    """
    location = located(settings.store_url)
    if location.kind != "sqlite":
        yield None
        return
    with location.path.with_suffix(".worker.lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ConflictError(
                f"another process executes the queued runs of {str(location.path)!r}: a SQLite file has one"
                " worker process; to use several, move to PostgreSQL and set DATABASE_URL, for example to"
                " postgresql://user:password@host/database"
            ) from error
        yield "local"
