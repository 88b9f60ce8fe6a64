"""A worker: takes shards from the queue, shows that it lives, takes over from those that died."""

import asyncio
import contextlib
import logging
import socket
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.domain.errors import AssayError, StoreError
from assay.domain.run import RunId
from assay.domain.shard import ShardId
from assay.engine.execution.engine import Engine
from assay.engine.execution.queue import WHOLE_QUEUE, Lane, NotTakenError, WorkerConfig
from assay.engine.execution.shards import ShardExecutor
from assay.engine.fleet.liveness import fresh_worker_id
from assay.engine.fleet.minutes import note_minutes
from assay.engine.fleet.outage import Outage
from assay.engine.log_context import SHARD
from assay.engine.stores.fleet import Worker
from assay.worker.heartbeat import Heartbeat, OpenStores
from assay.worker.shares import RunShares, endpoint_shares

_log = logging.getLogger(__name__)
# Twice as often cost eight workers a tenth of what their attempts take.
_CONTROL_EVERY_S = 1.0


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
        self._shares = RunShares(engine.stores.fleet, options.worker_id, lambda: self._executor.limiters)
        # How many shards of each run were delivered here; some may wait for a share of its connections.
        self._delivered: Counter[RunId] = Counter()
        self._executor = ShardExecutor(engine, first_connections=self._first_connections)
        self._started_at = engine.clock.now()
        self._is_draining = False
        self._overtaken = asyncio.Event()

    @property
    def executor(self) -> ShardExecutor:
        return self._executor

    @property
    def worker_id(self) -> str:
        return self._options.worker_id

    @property
    def running(self) -> int:
        return len(self._executor.activities)

    @property
    def is_overtaken(self) -> bool:
        """Whether it ended because a later version has upgraded the database."""
        return self._overtaken.is_set()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set, then hand back what could not be finished in the grace time.

        Where a later version upgrades the database, finish what is under way here and end.
        """
        engine, options = self._engine, self._options
        stores = engine.stores
        await stores.fleet.heartbeat(self._row())
        heartbeat = Heartbeat(self._row, open_stores=self._open_stores, every_s=options.lease_s / 5)
        heartbeat.start()
        work = asyncio.create_task(
            engine.queue.work(
                WorkerConfig(
                    self._execute,
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
            await _first_of(work, stop, self._overtaken)
            while self._delivered.total() and not stop.is_set() and not work.done():  # noqa: ASYNC110 - two conditions
                await asyncio.sleep(_CONTROL_EVERY_S)
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
        sandbox = self._engine.grading.sandbox
        endpoints: Counter[str] = Counter()
        for (_run_id, endpoint), limiter in list(self._executor.limiters.items()):
            endpoints[endpoint] += limiter.in_flight
        return Worker(
            id=self._options.worker_id,
            host=socket.gethostname(),
            started_at=self._started_at,
            slots=self._options.slots,
            running=tuple(self._executor.activities),
            endpoints=dict(endpoints),
            version=self._engine.provenance.code_version,
            is_draining=self._is_draining,
            only_models=self._options.lane.models,
            only_owners=self._options.lane.owners,
            sandbox="" if sandbox is None else sandbox.in_use,
        )

    def _first_connections(self, run_id: RunId) -> int:
        """Where the endpoint's connections are shared, the first look at the others gives a run its part."""
        return self._shares.of(run_id) if self._options.endpoint_connections is None else 1

    async def _execute(self, shard_id: ShardId) -> None:
        """Execute the shard once the run's other workers have left this one a share of its connections."""
        await self._look_at_schema()
        if self.is_overtaken:
            raise NotTakenError
        shard = await self._engine.stores.shards.get(shard_id)
        SHARD.set(shard)
        run_id = shard.run_id
        self._delivered[run_id] += 1
        try:
            await self._wait_for_share(run_id)
            await self._executor.execute(shard_id)
        finally:
            self._delivered[run_id] -= 1

    async def _wait_for_share(self, run_id: RunId) -> None:
        await self._renew_shares([run_id])
        while self._shares.of(run_id) == 0:  # noqa: ASYNC110 - `_follow` renews it
            await asyncio.sleep(_CONTROL_EVERY_S)

    async def _renew_shares(self, run_ids: Sequence[RunId]) -> None:
        controls = await self._engine.stores.runs.controls(run_ids)
        for run_id in run_ids:
            control = controls.get(run_id)
            most = (control and control.max_connections) or self._engine.limits.connections
            await self._shares.renew(run_id, most=most)

    async def _reap(self) -> None:
        lease_s, clock = self._options.lease_s, self._engine.clock
        outage = Outage("taking over from dead workers")
        reap_after = clock.monotonic()
        while True:
            await asyncio.sleep(lease_s / 4)
            if clock.monotonic() < reap_after:
                continue
            with outage.tolerated():
                await self._look_at_schema()
                await self._take_over(lease_s)
            if outage.is_on:
                # Without the database the others could not show that they live.
                reap_after = clock.monotonic() + lease_s

    async def _look_at_schema(self) -> None:
        """What a later version stores may mean what this one does not know: it takes nothing of it."""
        schema = await self._engine.stores.fleet.later_schema()
        if schema is not None and not self.is_overtaken:
            _log.warning(
                "a later version of Assay has upgraded the database to schema %s: no more shards are taken,"
                " and those under way are finished; start a worker of that version",
                schema,
            )
            self._overtaken.set()

    async def _take_over(self, lease_s: float) -> None:
        """Workers are removed last: whoever fails half-way leaves them for the next to find."""
        workers = await self._engine.stores.fleet.workers()
        running = {shard for one in workers if one.silent_s <= lease_s for shard in one.running}
        count = await self._engine.queue.requeue_stalled(lease_s=lease_s, running=running)
        if count:
            _log.warning("%d shards of workers that died are queued again", count)
        dead = await self._engine.stores.fleet.remove_dead_workers(silent_for_s=lease_s)
        if dead:
            _log.warning("not heard of for %g s: %s", lease_s, ", ".join(dead))

    async def _control(self) -> None:
        """Follow changes of the runs worked on here: connections, and what others spent of the budget."""
        outage = Outage("following changes of runs")
        while True:
            await asyncio.sleep(_CONTROL_EVERY_S)
            with outage.tolerated():
                await self._follow()

    async def _follow(self) -> None:
        self._delivered += Counter()  # removes the runs without a shard here
        await self._shares.leave_all_but(self._delivered)
        run_ids = sorted(self._delivered)
        if not run_ids:
            return
        await self._renew_shares(run_ids)
        shares = await self._endpoint_shares()
        for place, limiter in self._executor.limiters.items():
            share = self._shares.of(place[0])
            limiter.maximum = min(share, shares.get(place, share))
        for run_id in run_ids:
            await self._executor.refresh_budget(run_id)

    async def _endpoint_shares(self) -> Mapping[tuple[RunId, str], int]:
        most = self._options.endpoint_connections
        if most is None:
            return {}
        workers = await self._engine.stores.fleet.workers()
        others = [worker for worker in workers if worker.id != self._options.worker_id]
        own = {place: limiter.in_flight for place, limiter in self._executor.limiters.items()}
        return endpoint_shares(most, own, others)

    async def _give_up(self, shard_id: ShardId, error: Exception) -> None:
        reason = error.public_message if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
        _log.warning("shard %s is given up: %s", shard_id, error)
        shard = await self._engine.stores.shards.get(shard_id)
        if self._executor.epochs.pop(shard_id, shard.epoch) != shard.epoch:
            return  # Somebody has paused the run for it, and somebody resumed it.
        await self._engine.lifecycle.pause_run(shard.run_id, reason=reason)


async def _first_of(work: asyncio.Task[None], *events: asyncio.Event) -> None:
    """Wait until one of the events is set or the work ends; raises what it raised."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    await asyncio.wait({work, *waits}, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
    if work.done():
        work.result()
