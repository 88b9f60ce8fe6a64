"""Runs that are marked because nobody executes them."""

import asyncio
from dataclasses import replace

from assay.domain.run import Run, RunId, RunSpec, State
from assay.domain.shard import Shard, ShardId
from assay.engine.fleet.liveness import models_without_worker, shown_as_executed, with_interruptions
from assay.engine.stores.fleet import Worker
from assay.engine.stores.runs import NewRun
from tests.builders import NOON, ManualClock, Seeded
from tests.stores import memory_stores, set_silent

RUN = Run(RunId("run-1"), RunSpec(("sim/good",), ("letters",)), NOON)
SHARD = ShardId("shard-1")


class Place:
    """A store with one run, and the queue that workers share."""

    def __init__(self) -> None:
        self.stores = memory_stores()
        self.queued: tuple[ShardId, ...] = ()

    async def add(self, state: State) -> None:
        run = replace(RUN, state=state)
        evaluation = Seeded(run).evaluation()
        shard = Shard(SHARD, run.id, evaluation.id, start=0, stop=4)
        await self.stores.runs.create(NewRun(run, (evaluation,), (shard,), ()), within=lambda _: None)

    async def waiting(self) -> tuple[ShardId, ...]:
        return self.queued

    async def is_interrupted(self) -> bool:
        stored = [await self.stores.runs.get_with_outcomes(RUN.id)]
        [found] = await with_interruptions(self.stores, stored, self.waiting)
        return found.is_interrupted


async def test_a_run_is_interrupted_once_its_process_is_silent() -> None:
    place = Place()
    await place.add(State.RUNNING)
    fleet = place.stores.fleet
    async with shown_as_executed(fleet, RUN.id, clock=ManualClock(), every_s=0.01):
        assert not await place.is_interrupted()
        assert await fleet.workers() == (), "it takes nothing from the queue"
        [taken_for_dead] = await fleet.remove_dead_workers(silent_for_s=-1)
        async with asyncio.timeout(60):
            while await place.is_interrupted():
                await asyncio.sleep(0.01)
    assert await place.is_interrupted()
    assert await fleet.remove_dead_workers(silent_for_s=-1) == (), taken_for_dead


async def test_a_killed_worker_leaves_its_run_until_another_takes_over() -> None:
    place = Place()
    await place.add(State.RUNNING)
    fleet = place.stores.fleet
    await fleet.heartbeat(Worker("w1", "host", NOON, slots=4))
    await fleet.share_connections(RUN.id, "w1", most=8, held=0)
    assert not await place.is_interrupted()
    await set_silent(place.stores, "w1", 100)
    assert await place.is_interrupted()
    place.queued = (SHARD,)
    assert await place.is_interrupted(), "nobody is up"
    await fleet.heartbeat(Worker("w2", "host", NOON, slots=4))
    assert not await place.is_interrupted()


async def test_a_run_that_waits_for_the_first_worker_is_not_interrupted() -> None:
    place = Place()
    await place.add(State.QUEUED)
    place.queued = (SHARD,)
    assert not await place.is_interrupted()
    place.queued = ()
    assert await place.is_interrupted(), "the process that queued it for itself was killed"


async def test_a_run_that_has_ended_or_is_paused_is_not_interrupted() -> None:
    for state in (State.PAUSED, State.SUCCEEDED, State.FAILED, State.CANCELED):
        place = Place()
        await place.add(state)
        assert not await place.is_interrupted()


def test_models_that_no_worker_takes_are_named() -> None:
    run = replace(RUN, spec=replace(RUN.spec, models=("a", "b")), owner="ann")
    only_a = Worker("w", "host", NOON, slots=1, only_models=("a",))
    assert models_without_worker(run, []) == ("a", "b")
    assert models_without_worker(run, [only_a]) == ("b",)
    assert models_without_worker(run, [only_a, Worker("v", "host", NOON, slots=1)]) == ()
    assert models_without_worker(run, [Worker("v", "host", NOON, slots=1, silent_s=60)]) == ("a", "b")
    for_bob = Worker("v", "host", NOON, slots=1, only_owners=("bob",))
    assert models_without_worker(run, [for_bob]) == ("a", "b")
