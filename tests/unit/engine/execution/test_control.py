"""The errors of requests that the state of a run does not allow."""

import pytest

from assay.domain.errors import IllegalTransitionError
from assay.domain.run import RunSpec, State
from assay.engine.execution.control import cancel, pause, resume
from assay.engine.execution.create import create_run
from tests.builders import NOON, World

ENDED = [
    (State.SUCCEEDED, "has already succeeded"),
    (State.FAILED, "has already failed"),
    (State.CANCELED, "is already canceled"),
]


async def ended(state: State) -> tuple[World, str]:
    world = World()
    run = await create_run(world.engine, RunSpec(("m",), ("letters",), data="demo"))
    await world.store.runs.set_state(run.id, State.RUNNING, at=NOON)
    await world.store.runs.set_state(run.id, state, at=NOON)
    return world, run.id


@pytest.mark.parametrize(("state", "clause"), ENDED)
async def test_a_run_that_has_ended_can_neither_be_canceled_nor_paused(state: State, clause: str) -> None:
    world, run_id = await ended(state)
    run = await world.store.runs.get(run_id)
    with pytest.raises(IllegalTransitionError) as canceled:
        await cancel(world.engine.lifecycle, run.id)
    assert canceled.value.message == f"run {run.id[:8]!r} cannot be canceled: it {clause}"
    with pytest.raises(IllegalTransitionError) as paused:
        await pause(world.engine.lifecycle, run.id)
    assert paused.value.message == f"run {run.id[:8]!r} cannot be paused: it {clause}"
    with pytest.raises(IllegalTransitionError, match=f"{clause}: retry its failed attempts"):
        await resume(world.engine.lifecycle, run.id)


async def test_a_paused_run_is_not_paused_again() -> None:
    world, run_id = await ended(State.PAUSED)
    run = await world.store.runs.get(run_id)
    with pytest.raises(IllegalTransitionError, match="cannot be paused: it is paused"):
        await pause(world.engine.lifecycle, run.id)
