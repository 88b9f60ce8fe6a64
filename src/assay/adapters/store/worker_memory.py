"""Workers in plain Python: the part of the store in memory that knows nothing of runs."""

from datetime import datetime

from assay.engine.stores.fleet import Worker


class MemoryWorkers:
    def __init__(self) -> None:
        self._workers: dict[str, Worker] = {}

    async def beat(self, worker: Worker) -> None:
        self._workers[worker.id] = worker

    async def workers(self) -> tuple[Worker, ...]:
        return tuple(sorted(self._workers.values(), key=lambda worker: (worker.started_at, worker.id)))

    async def remove_dead_workers(self, *, unseen_since: datetime) -> tuple[str, ...]:
        dead = sorted(worker.id for worker in self._workers.values() if worker.last_seen < unseen_since)
        for worker_id in dead:
            del self._workers[worker_id]
        return tuple(dead)

    async def remove_worker(self, worker_id: str) -> None:
        self._workers.pop(worker_id, None)
