"""A worker: takes shards from the queue, shows that it lives, takes over from those that died."""

import asyncio
import contextlib
import logging
import os
import secrets
import socket
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from assay.domain.errors import AssayError, StoreError
from assay.domain.run import RunId
from assay.domain.shard import ShardId
from assay.engine.execution.engine import Engine
from assay.engine.execution.queue import WHOLE_QUEUE, Lane, WorkerConfig
from assay.engine.execution.shards import ShardExecutor
from assay.engine.fleet.minutes import note_minutes
from assay.engine.stores.fleet import Worker
from assay.worker.heartbeat import Heartbeat, OpenStores
from assay.worker.shares import endpoint_shares

_log = logging.getLogger(__name__)
_CONTROL_EVERY_S = 0.5


def fresh_worker_id() -> str:
    """Never the same twice: a restarted worker must not pass for its dead predecessor."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """`lease_s` is how long a silent worker counts as alive."""

    slots: int = 4
    lease_s: float = 10.0
    grace_s: float = 20.0
    worker_id: str = field(default_factory=fresh_worker_id)
    lane: Lane = WHOLE_QUEUE
    # Calls in flight to one endpoint, all workers together; `None` means no limit.
    endpoint_connections: int | None = None


class WorkerLoop:
    """`open_stores` opens stores for the heartbeat's own thread."""

    def __init__(
        self,
        engine: Engine,
        options: WorkerOptions,
        *,
        open_stores: OpenStores,
    ) -> None:
        self._engine = engine
        self._options = options
        self._open_stores = open_stores
        # Where the endpoint's connections are shared, the first look at the others gives a run its part.
        first = None if options.endpoint_connections is None else 1
        self._executor = ShardExecutor(engine, first_connections=first)
        self._started_at = engine.clock.now()
        self._is_draining = False

    @property
    def executor(self) -> ShardExecutor:
        return self._executor

    @property
    def worker_id(self) -> str:
        return self._options.worker_id

    @property
    def running(self) -> int:
        return len(self._executor.activities)

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set, then hand back what could not be finished in the grace time."""
        engine, options = self._engine, self._options
        stores = engine.stores
        await stores.fleet.heartbeat(self._row())
        heartbeat = Heartbeat(self._row, open_stores=self._open_stores, every_s=options.lease_s / 5)
        heartbeat.start()
        work = asyncio.create_task(
            engine.queue.work(
                WorkerConfig(
                    self._executor.execute,
                    self._give_up,
                    slots=options.slots,
                    lane=options.lane,
                    lease_s=options.lease_s,
                )
            )
        )
        background = [
            asyncio.create_task(loop)
            for loop in (self._reap(), self._control(), note_minutes(stores.fleet, stores.runs, engine.clock))
        ]
        try:
            await _first_of(asyncio.create_task(stop.wait()), work)
        finally:
            self._is_draining = True
            await engine.queue.drain(grace_s=options.grace_s)
            for loop in background:
                loop.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            heartbeat.stop()
            await self._executor.close()
            with contextlib.suppress(StoreError):
                await engine.stores.fleet.remove_worker(options.worker_id)
        await work

    def _row(self) -> Worker:
        endpoints: Counter[str] = Counter()
        for (_run_id, endpoint), limiter in list(self._executor.limiters.items()):
            endpoints[endpoint] += limiter.in_flight
        return Worker(
            id=self._options.worker_id,
            host=socket.gethostname(),
            started_at=self._started_at,
            last_seen=self._engine.clock.now(),
            slots=self._options.slots,
            running=tuple(self._executor.activities),
            endpoints=dict(endpoints),
            version=self._engine.provenance.code_version,
            is_draining=self._is_draining,
            only_models=self._options.lane.models,
            only_owners=self._options.lane.owners,
        )

    async def _reap(self) -> None:
        lease_s, clock = self._options.lease_s, self._engine.clock
        reap_after = clock.monotonic()
        while True:
            await asyncio.sleep(lease_s / 4)
            try:
                if clock.monotonic() >= reap_after:
                    await self._take_over(unseen_since=clock.now() - timedelta(seconds=lease_s))
            except StoreError as error:
                _log.warning("taking over from dead workers failed: %s", error.message)
                # Without the database the others could not show that they live.
                reap_after = clock.monotonic() + lease_s

    async def _take_over(self, *, unseen_since: datetime) -> None:
        """Workers are removed last: whoever fails half-way leaves them for the next to find."""
        workers = await self._engine.stores.fleet.workers()
        running = {shard for one in workers if one.last_seen >= unseen_since for shard in one.running}
        lease_s = self._options.lease_s
        count = await self._engine.queue.requeue_stalled(lease_s=lease_s, running=running)
        if count:
            _log.warning("%d shards of workers that died are queued again", count)
        if any(worker.last_seen < unseen_since for worker in workers):
            dead = await self._engine.stores.fleet.remove_dead_workers(unseen_since=unseen_since)
            _log.warning("not heard of for %g s: %s", lease_s, ", ".join(dead))

    async def _control(self) -> None:
        """Follow changes of the runs worked on here: connections, and what others spent of the budget."""
        while True:
            await asyncio.sleep(_CONTROL_EVERY_S)
            with _tolerated("following changes of runs"):
                await self._follow()

    async def _follow(self) -> None:
        run_ids = {activity.run.id for activity in self._executor.activities.values()}
        if not run_ids:
            return
        controls = await self._engine.stores.runs.controls(sorted(run_ids))
        workers = await self._engine.stores.fleet.workers()
        sharing = await self._workers_by_run(run_ids, workers)
        shares = self._endpoint_shares(workers)
        for place, limiter in self._executor.limiters.items():
            control = controls.get(place[0])
            if control is not None:
                asked = (control.max_connections or self._engine.limits.connections) // sharing[place[0]]
                limiter.maximum = max(1, min(asked, shares.get(place, asked)))
        for run_id in run_ids:
            await self._executor.refresh_budget(run_id)

    def _endpoint_shares(self, workers: Iterable[Worker]) -> Mapping[tuple[RunId, str], int]:
        most = self._options.endpoint_connections
        if most is None:
            return {}
        own = {place: limiter.in_flight for place, limiter in self._executor.limiters.items()}
        others = [worker for worker in workers if worker.id != self._options.worker_id]
        return endpoint_shares(most, own, others)

    async def _workers_by_run(self, run_ids: set[RunId], workers: Iterable[Worker]) -> dict[RunId, int]:
        """How many workers share each run's connections just now, this one included."""
        own = {shard_id: one.run.id for shard_id, one in self._executor.activities.items()}
        shards = {
            shard.id: run_id for run_id in run_ids for shard in await self._engine.stores.shards.list(run_id)
        }
        sharing = dict.fromkeys(run_ids, 0)
        for worker in workers:
            held = own if worker.id == self._options.worker_id else worker.running
            for run_id in {shards[shard_id] for shard_id in held if shard_id in shards}:
                sharing[run_id] += 1
        return {run_id: max(1, count) for run_id, count in sharing.items()}

    async def _give_up(self, shard_id: ShardId, error: Exception) -> None:
        reason = error.message if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
        shard = await self._engine.stores.shards.get(shard_id)
        if self._executor.epochs.pop(shard_id, shard.epoch) != shard.epoch:
            return  # Somebody has paused the run for it, and somebody resumed it.
        await self._engine.lifecycle.pause_run(shard.run_id, reason=reason)


@contextlib.contextmanager
def _tolerated(doing: str) -> Generator[None]:
    """A database that is away for a moment must not end the worker."""
    try:
        yield
    except StoreError as error:
        _log.warning("%s failed: %s", doing, error.message)


async def _first_of(*tasks: asyncio.Task[object]) -> None:
    done, _pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()
