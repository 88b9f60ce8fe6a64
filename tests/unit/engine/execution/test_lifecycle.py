"""A worker and a user get to a run at once: what the user asked for holds."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from assay.adapters.store.runs.store import SqlRunStore
from assay.adapters.store.stores import sql_stores
from assay.domain.event import EventType
from assay.domain.run import Evaluation, Run, RunId, RunSpec, State
from assay.engine.execution.control import cancel, pause
from assay.engine.execution.create import create_run
from assay.engine.execution.lifecycle import RunLifecycle
from tests.builders import NOON, World
from tests.stores import MemoryDatabase

Stop = Callable[[RunLifecycle, RunId], Awaitable[Run]]


@pytest.mark.parametrize(("stop", "state"), [(pause, State.PAUSED), (cancel, State.CANCELED)])
async def test_a_worker_that_saw_the_run_queued_does_not_set_a_stopped_one_going(
    stop: Stop, state: State
) -> None:
    world = World()
    queued = await create_run(world.engine, RunSpec(("m",), ("letters",), data="demo"))
    (evaluation,) = await world.store.runs.evaluations(queued.id)
    await stop(world.engine.lifecycle, queued.id)
    await world.engine.lifecycle.open_evaluation(queued, evaluation)
    (left,) = await world.store.runs.evaluations(queued.id)
    assert ((await world.store.runs.get(queued.id)).state, left.state) == (state, state)
    emitted = {event.type for event in await world.store.events.page(queued.id)}
    assert not emitted & {EventType.RUN_STARTED, EventType.BENCHMARK_STARTED}


class _EndingStore(SqlRunStore):
    """A worker ends the evaluation while the user's request is under way."""

    async def evaluations_of(self, run_ids: Sequence[RunId]) -> Mapping[RunId, tuple[Evaluation, ...]]:
        seen = await super().evaluations_of(run_ids)
        for evaluation in (one for own in seen.values() for one in own if one.state is State.RUNNING):
            await self.set_evaluation_state(evaluation.id, State.SUCCEEDED, at=NOON)
        return seen


@pytest.mark.parametrize(("stop", "state"), [(pause, State.PAUSED), (cancel, State.CANCELED)])
async def test_an_evaluation_that_ends_meanwhile_keeps_its_end(stop: Stop, state: State) -> None:
    database = MemoryDatabase()
    world = World(store=replace(sql_stores(database), runs=_EndingStore(database)))
    run = await create_run(world.engine, RunSpec(("m",), ("letters",), data="demo"))
    (evaluation,) = await world.store.runs.evaluations(run.id)
    await world.engine.lifecycle.open_evaluation(run, evaluation)
    stopped = await stop(world.engine.lifecycle, run.id)
    (ended,) = await world.store.runs.evaluations(run.id)
    assert (stopped.state, ended.state) == (state, State.SUCCEEDED)
    assert (await world.engine.queue.depth()).queued == 0
