"""What the shards of a run share is created with the first of them and closed with the last."""

import asyncio
from collections import deque
from collections.abc import Sized

import pytest

from assay.domain.access.secret import Secret
from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Completion
from assay.domain.errors import EndpointUnreachableError, StoreError
from assay.domain.run import Budget, Evaluation, Run, RunSpec, State
from assay.engine.execution.control import cancel
from assay.engine.execution.create import Caller, create_run
from assay.engine.execution.shards import Observer, ShardExecutor
from assay.engine.ports import Request
from tests.builders import LetterBenchmark, ScriptedModel, World, rewired, right

RUNS = 50
SPEC = RunSpec(("test/scripted",), ("letters",), data="demo", budget=Budget(tokens=10**9))


def held(executor: ShardExecutor) -> dict[str, int]:
    """The sizes of the containers, of the executor and of its parts, that are not empty."""
    parts: list[object] = [executor, vars(executor)["_progress"], vars(executor)["_writer"]]
    fields: dict[str, Sized] = {
        f"{type(part).__name__}.{name}": value
        for part in parts
        for name, value in vars(part).items()
        if isinstance(value, dict | set | list | deque)
    }
    return {name: len(value) for name, value in fields.items() if value}


async def execute_shards(world: World, executor: ShardExecutor, run: Run) -> State:
    for shard in await world.store.shards.list(run.id):
        await executor.execute(shard.id)
    return (await world.store.runs.get(run.id)).state


async def test_after_many_runs_the_executor_holds_nothing_of_them() -> None:
    world = World()
    executor = ShardExecutor(world.engine)
    for _ in range(RUNS):
        run = await create_run(world.engine, SPEC)
        assert await execute_shards(world, executor, run) is State.SUCCEEDED
    assert held(executor) == {}
    await executor.close()


async def test_shards_of_a_run_share_its_context() -> None:
    sizes: list[int] = []

    class Sizes(Observer):
        def attempt_ended(self, evaluation: Evaluation, attempt: Attempt) -> None:
            sizes.append(len(executor.limiters))

    world = World(benchmark=LetterBenchmark(size=40))
    executor = ShardExecutor(world.engine, observer=Sizes())
    run = await create_run(world.engine, SPEC)
    shards = await world.store.shards.list(run.id)
    assert len(shards) == 2
    await asyncio.gather(*(executor.execute(shard.id) for shard in shards))
    assert set(sizes) == {1}
    assert (await world.store.runs.get(run.id)).state is State.SUCCEEDED
    assert held(executor) == {}


async def test_nothing_is_held_of_a_canceled_run() -> None:
    asked = asyncio.Event()

    def noting(request: Request, number: int) -> Completion:
        asked.set()
        return right(request, number)

    world = World(model=ScriptedModel(noting), benchmark=LetterBenchmark(size=20))
    executor = ShardExecutor(world.engine)
    run = await create_run(world.engine, SPEC)
    [shard] = await world.store.shards.list(run.id)
    task = asyncio.create_task(executor.execute(shard.id))
    await asked.wait()
    await cancel(world.engine.lifecycle, run.id)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert held(executor) == {}
    [evaluation] = await world.store.runs.evaluations(run.id)
    assert evaluation.summary is not None


async def test_a_shard_that_failed_is_known_by_its_epoch_until_it_is_executed_again() -> None:
    world = World()
    executor = ShardExecutor(world.engine)
    run = await create_run(world.engine, SPEC)
    [shard] = await world.store.shards.list(run.id)
    world.model.check_error = StoreError("the database is away")
    with pytest.raises(StoreError):
        await executor.execute(shard.id)
    assert held(executor) == {"ShardExecutor.epochs": 1}
    world.model.check_error = None
    assert await execute_shards(world, executor, run) is State.SUCCEEDED
    assert held(executor) == {}


class PlainVault:
    def seal(self, key: Secret) -> bytes:
        return key.value.encode()

    def unseal(self, sealed: bytes) -> Secret:
        return Secret(sealed.decode())

    def pseudonym(self, key: Secret) -> str:
        return key.value[:1]


async def test_a_key_of_the_callers_own_leaves_with_the_last_shard() -> None:
    world = World()
    engine = rewired(world.engine, vault=PlainVault())
    executor = ShardExecutor(engine)
    run = await create_run(engine, SPEC, Caller(api_key=Secret("secret")))
    world.model.is_closed = False
    assert await execute_shards(world, executor, run) is State.SUCCEEDED
    assert world.model.is_closed
    assert held(executor) == {}


async def test_an_endpoint_that_answered_another_evaluation_of_the_run_is_waited_for() -> None:
    world = World()
    executor = ShardExecutor(world.engine)
    spec = RunSpec(("test/one", "test/two"), ("letters",), data="demo")
    run = await create_run(world.engine, spec)
    first, second = await world.store.shards.list(run.id)
    await executor.execute(first.id)
    world.model.check_error = EndpointUnreachableError("'http://x/v1' cannot be reached")
    await executor.execute(second.id)
    assert (await world.store.runs.get(run.id)).state is State.SUCCEEDED
