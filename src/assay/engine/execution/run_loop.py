"""Executes one run in this process until it is finished or paused."""

import asyncio
import contextlib
import logging

from assay.domain.errors import AssayError, StoreError
from assay.domain.run import Run, RunId
from assay.domain.shard import ShardId
from assay.engine.execution.control import resume
from assay.engine.execution.execute import Observer
from assay.engine.execution.finish import pause_run
from assay.engine.execution.queue import WorkerConfig
from assay.engine.execution.runs import Engine
from assay.engine.execution.shard_job import ShardExecutor, unobserved
from assay.engine.tasks import uninterrupted

_log = logging.getLogger(__name__)
SLOTS = 8
CONTROL_INTERVAL_S = 0.5
_DRAIN_S = 0.0


async def execute_run(
    engine: Engine, run_id: RunId, *, observe: Observer = unobserved, is_new: bool = False
) -> Run:
    """Work off the run's shards from a queue of this process alone; stored attempts are not repeated.

    The caller makes sure that nobody else executes the same run. Whoever changes the run's state in the store
    meanwhile is obeyed: this process looks twice a second.
    """
    if not is_new:
        await resume(engine, run_id)
    executor = ShardExecutor(engine, observe=observe)
    failure: list[Exception] = []

    async def give_up(_shard_id: ShardId, error: Exception) -> None:
        reason = error.message if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
        try:
            # The end of this process must not break into it.
            await uninterrupted(pause_run(engine, run_id, reason=reason))
        except StoreError:
            _log.warning("run %s stays open: it is found running, and opened again on resume", run_id)
        finally:
            failure.append(error)

    work = asyncio.create_task(engine.queue.work(WorkerConfig(executor.execute, give_up, slots=SLOTS)))
    try:
        run = await _settled(engine, run_id, executor, failure)
    except asyncio.CancelledError:
        await uninterrupted(pause_run(engine, run_id, reason="interrupted"))
        raise
    finally:
        await engine.queue.drain(grace_s=_DRAIN_S)
        await work
        await executor.close()
    if failure and isinstance(failure[0], StoreError):
        raise failure[0]
    return run


async def _settled(engine: Engine, run_id: RunId, executor: ShardExecutor, failure: list[Exception]) -> Run:
    while True:
        executor.shard_ended.clear()
        run = await engine.stores.runs.run(run_id)
        if run.state.is_settled or failure:
            return run
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CONTROL_INTERVAL_S):
                await executor.shard_ended.wait()
