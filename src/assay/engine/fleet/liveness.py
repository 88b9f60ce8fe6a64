"""Which workers are up, and which runs have lost the process that executed them."""

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from assay.domain.errors import StoreError
from assay.domain.run import Run, RunId, State
from assay.domain.shard import ShardId
from assay.engine.execution.queue import Lane
from assay.engine.ports import Clock
from assay.engine.stores import Stores
from assay.engine.stores.fleet import FleetStore, Worker
from assay.engine.stores.runs import StoredRun

# At least as long as other workers wait before they take over a silent worker's shards.
_ALIVE_FOR_S = 30.0
_UNSETTLED = frozenset({State.QUEUED, State.RUNNING})

Waiting = Callable[[], Awaitable[Collection[ShardId]]]
"""The shards that wait in the queue which the workers share."""


def fresh_worker_id() -> str:
    """Never the same twice: a restarted worker must not pass for its dead predecessor."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"


def is_alive(worker: Worker) -> bool:
    return worker.silent_s < _ALIVE_FOR_S


def models_without_worker(run: Run, workers: Iterable[Worker]) -> tuple[str, ...]:
    """The models of the run that no worker takes shards of."""
    lanes = [Lane(one.only_models, one.only_owners) for one in workers if is_alive(one)]
    return tuple(
        model for model in run.spec.models if not any(lane.takes(model, run.owner) for lane in lanes)
    )


async def with_interruptions(
    stores: Stores, found: Sequence[StoredRun], waiting: Waiting
) -> tuple[StoredRun, ...]:
    """The runs, with those marked that nobody executes and no worker is going to, and when those stopped."""
    unsettled = {one.run.id: one.run for one in found if one.run.state in _UNSETTLED}
    lost = await _interrupted(stores, unsettled, waiting) if unsettled else frozenset[RunId]()
    stopped = sorted(lost | {one.run.id for one in found if one.run.state is State.PAUSED})
    stopped_at = await stores.events.newest_moments(stopped) if stopped else dict[RunId, datetime]()
    return tuple(
        replace(one, is_interrupted=one.run.id in lost, stopped_at=stopped_at.get(one.run.id))
        if one.run.id in stopped
        else one
        for one in found
    )


async def _interrupted(stores: Stores, runs: dict[RunId, Run], waiting: Waiting) -> frozenset[RunId]:
    idle = runs.keys() - await stores.fleet.executed_runs(silent_for_s=_ALIVE_FOR_S)
    if not idle:
        return frozenset()
    queued = set(await waiting())
    shards = await stores.shards.list_open(sorted(idle))
    # A worker that is up goes on with it; one that has not begun waits for the first worker.
    has_worker = any(map(is_alive, await stores.fleet.workers()))
    expected = {
        shard.run_id
        for shard in shards
        if shard.id in queued and (has_worker or runs[shard.run_id].state is State.QUEUED)
    }
    # A shard may have gone from the queue to a worker in the meantime.
    return frozenset(idle - expected - await stores.fleet.executed_runs(silent_for_s=_ALIVE_FOR_S))


@contextlib.asynccontextmanager
async def shown_as_executed(
    fleet: FleetStore, run_id: RunId, *, clock: Clock, every_s: float
) -> AsyncGenerator[None]:
    """Show other processes that this one, which is no worker, executes the run."""
    row = Worker(fresh_worker_id(), socket.gethostname(), clock.now(), slots=0)

    async def beat() -> None:
        await fleet.heartbeat(row)
        # Whoever takes this process for dead removes its share too.
        await fleet.share_connections(run_id, row.id, most=1, held=0)

    async def keep_beating() -> None:
        while True:
            await asyncio.sleep(every_s)
            # Without the database the run cannot go on either, and says so itself.
            with contextlib.suppress(StoreError):
                await beat()

    await fleet.remove_dead_workers(silent_for_s=_ALIVE_FOR_S)
    await beat()
    beating = asyncio.create_task(keep_beating())
    try:
        yield
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
        with contextlib.suppress(StoreError):
            await fleet.remove_worker(row.id)
