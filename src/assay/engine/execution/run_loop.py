"""Executes one run in this process until it has ended or is paused."""

import asyncio
import contextlib
import logging

from assay.domain.errors import AssayError, StoreError
from assay.domain.run import Run, RunId
from assay.domain.shard import ShardId
from assay.engine.execution.engine import Engine
from assay.engine.execution.queue import WorkerConfig
from assay.engine.execution.shards import Observer, ShardExecutor
from assay.engine.stores.runs import RunStore
from assay.engine.tasks import uninterrupted

_log = logging.getLogger(__name__)
SLOTS = 8
CONTROL_INTERVAL_S = 0.5
_DRAIN_S = 0.0


async def execute_run(engine: Engine, run_id: RunId, *, observer: Observer | None = None) -> Run:
    """Execute the queued shards of a run; the queue is that of this process alone.

    The caller ensures that no other process executes the same run. If another process changes the run's
    state in the store, this one follows within half a second.
    """
    lifecycle = engine.lifecycle
    executor = ShardExecutor(engine, observer=observer)
    failure: list[Exception] = []

    async def give_up(_shard_id: ShardId, error: Exception) -> None:
        reason = error.message if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
        try:
            # The end of this process must not interrupt it.
            await uninterrupted(lifecycle.pause_run(run_id, reason=reason))
        except StoreError:
            _log.warning("run %s is still marked as running; `assay resume` continues it", run_id)
        finally:
            failure.append(error)

    work = asyncio.create_task(engine.queue.work(WorkerConfig(executor.execute, give_up, slots=SLOTS)))
    try:
        run = await _settled(lifecycle.runs, run_id, executor, failure)
    except asyncio.CancelledError:
        await uninterrupted(lifecycle.pause_run(run_id, reason="stopped by Ctrl-C or SIGTERM"))
        raise
    finally:
        await engine.queue.drain(grace_s=_DRAIN_S)
        await work
        await executor.close()
    if failure and isinstance(failure[0], StoreError):
        raise failure[0]
    return run


async def _settled(runs: RunStore, run_id: RunId, executor: ShardExecutor, failure: list[Exception]) -> Run:
    """The run once it is settled, or once a shard was given up."""
    while True:
        executor.shard_ended.clear()
        run = await runs.get(run_id)
        if run.state.is_settled or failure:
            return run
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CONTROL_INTERVAL_S):
                await executor.shard_ended.wait()
