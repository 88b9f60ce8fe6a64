"""The errors of requests that the state of a run does not allow."""

import pytest

from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Completion
from assay.domain.errors import AssayError, CallTimeoutError, IllegalTransitionError, InvalidValueError
from assay.domain.run import RunSpec, State
from assay.engine.execution.control import cancel, pause, resume, retry_attempt, retry_missing
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.ports import Request
from tests.builders import NOON, ScriptedModel, World, right

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


def silent_about(letters: set[str]) -> ScriptedModel:
    """Later changes of the set count."""

    def reply(request: Request, number: int) -> Completion | AssayError:
        return (
            CallTimeoutError("no byte for 30 s") if request.cue().right in letters else right(request, number)
        )

    return ScriptedModel(reply)


async def test_a_single_attempt_is_made_again_and_no_other() -> None:
    letters = {"a", "b", "d"}
    world = World(model=silent_about(letters))
    run = await world.run()
    [evaluation] = await world.store.runs.evaluations(run.id)
    letters.clear()
    for item, left in (("1", {"0", "3"}), ("0", {"3"})):
        asked_before = len(world.model.requests)
        await retry_attempt(world.engine.lifecycle, evaluation, AttemptKey(ItemId(item), 0))
        ended = await execute_run(world.engine, run.id)
        assert (ended.state, len(world.model.requests) - asked_before) == (State.SUCCEEDED, 1)
        assert {key.item_id for key in await world.store.attempts.missing(evaluation.id)} == left
    positions = sorted(
        position
        for shard in await world.store.shards.list(run.id)
        for position in range(shard.start, shard.stop)
    )
    assert positions == list(range(4)), "each attempt is in one shard"
    await retry_missing(world.engine.lifecycle, run.id)
    await execute_run(world.engine, run.id)
    assert not await world.store.attempts.missing(evaluation.id)


async def test_an_attempt_with_a_verdict_or_none_at_all_is_not_repeated() -> None:
    world = World(model=silent_about({"a"}))
    run = await world.run()
    [evaluation] = await world.store.runs.evaluations(run.id)
    for item, sample, reason in (("1", 0, "has a verdict"), ("1", 1, "was not made yet")):
        with pytest.raises(InvalidValueError, match=reason):
            await retry_attempt(world.engine.lifecycle, evaluation, AttemptKey(ItemId(item), sample))
    assert (await world.store.runs.get(run.id)).state is State.SUCCEEDED


async def test_a_run_at_work_repeats_no_single_attempt() -> None:
    world = World()
    run = await create_run(world.engine, RunSpec(("m",), ("letters",), data="demo"))
    [evaluation] = await world.store.runs.evaluations(run.id)
    with pytest.raises(IllegalTransitionError, match="is queued: wait until it has ended"):
        await retry_attempt(world.engine.lifecycle, evaluation, AttemptKey(ItemId("0"), 0))
