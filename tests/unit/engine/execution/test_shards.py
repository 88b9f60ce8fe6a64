"""What a worker keeps of the runs it has executed."""

import asyncio
import gc

from assay.domain.run import Run, RunSpec, State
from assay.domain.shard import ShardId
from assay.engine.execution.create import create_run
from assay.engine.execution.queue import WorkerConfig
from assay.engine.execution.run_context import RunContext
from assay.engine.execution.shards import Activity, ShardExecutor
from tests.builders import LetterBenchmark, World

RUNS = 40


async def test_a_worker_keeps_nothing_of_the_runs_that_have_ended() -> None:
    engine = World(benchmark=LetterBenchmark(size=2)).engine
    executor = ShardExecutor(engine)

    async def give_up(shard_id: ShardId, error: Exception) -> None:
        raise AssertionError(shard_id) from error

    work = asyncio.create_task(engine.queue.work(WorkerConfig(executor.execute, give_up, slots=4)))
    spec = RunSpec(("test/scripted",), ("letters",), data="demo")
    for _ in range(RUNS):
        await create_run(engine, spec)
    async with asyncio.timeout(60):
        while (await engine.stores.runs.count_by_state()).get(State.SUCCEEDED) != RUNS or executor.activities:
            await asyncio.sleep(0.05)
    await engine.queue.drain(grace_s=0)
    await work
    assert (executor.activities, executor.epochs, executor.limiters) == ({}, {}, {})
    gc.collect()
    kept = [one for one in gc.get_objects() if isinstance(one, Run | RunContext | Activity)]
    await executor.close()
    assert len(kept) < RUNS / 2
