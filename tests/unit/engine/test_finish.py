"""A worker and a user get to a run at once: what the user asked for holds."""

from collections.abc import Awaitable, Callable

import pytest

from assay.domain.event import EventType
from assay.domain.run import Run, RunId, RunSpec, State
from assay.engine.control import cancel, pause
from assay.engine.finish import open_evaluation
from assay.engine.runs import Engine, create_run
from tests.builders import World

Stop = Callable[[Engine, RunId], Awaitable[Run]]


@pytest.mark.parametrize(("stop", "state"), [(pause, State.PAUSED), (cancel, State.CANCELED)])
async def test_a_worker_that_saw_the_run_queued_does_not_set_a_stopped_one_going(
    stop: Stop, state: State
) -> None:
    world = World()
    queued = await create_run(world.engine, RunSpec(("m",), ("letters",), data="samples"))
    (evaluation,) = await world.store.evaluations(queued.id)
    await stop(world.engine, queued.id)
    await open_evaluation(world.engine, queued, evaluation)
    (left,) = await world.store.evaluations(queued.id)
    assert ((await world.store.run(queued.id)).state, left.state) == (state, state)
    told = {event.type for event in await world.store.events(queued.id)}
    assert not told & {EventType.RUN_STARTED, EventType.BENCHMARK_STARTED}
