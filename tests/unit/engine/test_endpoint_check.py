"""An endpoint that is away before the first answer ends the run; one that has answered is waited for."""

from assay.domain.errors import EndpointUnreachableError
from assay.domain.run import Run, RunSpec, State
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from tests.builders import World, attempt

AWAY = EndpointUnreachableError("'http://x/v1' cannot be reached; check the base URL")


async def started(world: World) -> Run:
    """As another shard of it would leave it."""
    run = await create_run(world.engine, RunSpec(("m",), ("letters",), data="demo"))
    await world.store.runs.set_state(run.id, State.RUNNING, at=world.clock.now())
    (evaluation,) = await world.store.runs.evaluations(run.id)
    await world.store.runs.set_evaluation_state(evaluation.id, State.RUNNING, at=world.clock.now())
    return run


async def test_a_started_evaluation_without_an_answer_fails_at_once() -> None:
    world = World()
    run = await started(world)
    world.model.check_error = AWAY
    failed = await execute_run(world.engine, run.id)
    assert failed.state is State.FAILED
    assert AWAY.message in (failed.error or "")
    assert world.model.requests == []


async def test_one_with_an_answer_goes_on() -> None:
    world = World()
    run = await started(world)
    (evaluation,) = await world.store.runs.evaluations(run.id)
    await world.store.attempts.add([attempt(evaluation.item_ids[0], evaluation_id=evaluation.id)])
    world.model.check_error = AWAY
    assert (await execute_run(world.engine, run.id)).state is State.SUCCEEDED
    assert len(world.model.requests) == len(evaluation.item_ids) - 1
