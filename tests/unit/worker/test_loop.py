"""A worker clears away what processes that died have left."""

import asyncio

from assay.domain.run import RunId
from assay.engine.stores import Stores
from assay.engine.stores.fleet import Worker
from assay.worker.loop import WorkerLoop, WorkerOptions
from tests.builders import NOON, World
from tests.stores import memory_stores, set_silent

RUN = RunId("run-1")


async def open_stores() -> Stores:
    """For the heartbeat, which closes what it opens."""
    return memory_stores()


async def test_the_share_of_a_killed_process_is_free_again() -> None:
    world = World()
    fleet = world.store.fleet
    await fleet.heartbeat(Worker("killed", "host", NOON, slots=0))
    await fleet.share_connections(RUN, "killed", most=1, held=0)
    await set_silent(world.store, "killed", 100)
    assert await fleet.share_connections(RUN, "other", most=1, held=0) == 0
    options = WorkerOptions(lease_s=1.0, grace_s=0, worker_id="alive")
    stop = asyncio.Event()
    working = asyncio.create_task(WorkerLoop(world.engine, options, open_stores=open_stores).run(stop))
    async with asyncio.timeout(30):
        while await fleet.share_connections(RUN, "other", most=1, held=0) == 0:
            await asyncio.sleep(0.05)
    stop.set()
    await working
