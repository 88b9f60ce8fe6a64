"""Two workers whose clocks differ by two minutes, on one database."""

import asyncio
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from assay.adapters.queue.postgres import open_queue
from assay.adapters.store.database.url import located
from assay.adapters.store.stores import open_stores
from assay.domain.calls.messages import Completion
from assay.domain.run import RunId, RunSpec, State
from assay.engine.clock import SystemClock
from assay.engine.execution.create import create_run
from assay.engine.ports import Request
from assay.worker.loop import WorkerLoop, WorkerOptions
from tests.builders import LetterBenchmark, ScriptedModel, World, rewired, right

LEASE_S = 5.0
BLOCKED_S = 9.0
ITEMS = 40


class OffsetClock(SystemClock):
    def __init__(self, offset_s: float) -> None:
        self._offset = timedelta(seconds=offset_s)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._offset


async def work(url: str, model: ScriptedModel, *, worker_id: str, offset_s: float) -> None:
    """Work until the run has ended."""
    stores, queue = await open_stores(url), await open_queue(located(url).url)
    world = World(benchmark=LetterBenchmark(size=ITEMS), model=model, store=stores)
    engine = rewired(world.engine, queue=queue, clock=OffsetClock(offset_s))
    options = WorkerOptions(slots=1, lease_s=LEASE_S, worker_id=worker_id)
    stop = asyncio.Event()
    try:
        loop = WorkerLoop(engine, options, open_stores=lambda: open_stores(url))
        working = asyncio.create_task(loop.run(stop))
        while (await stores.runs.count_by_state())[State.SUCCEEDED] == 0:
            await asyncio.sleep(0.1)
        stop.set()
        await working
    finally:
        await queue.close()
        await stores.close()


async def submitted(url: str) -> RunId:
    stores, queue = await open_stores(url), await open_queue(located(url).url)
    world = World(benchmark=LetterBenchmark(size=ITEMS), store=stores)
    try:
        spec = RunSpec(("test/scripted",), ("letters",), data="demo")
        return (await create_run(rewired(world.engine, queue=queue), spec)).id
    finally:
        await queue.close()
        await stores.close()


@pytest.mark.postgres
async def test_no_shard_is_taken_from_a_worker_whose_clock_is_behind(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """While the event loop of the slow worker is busy, only the row from its thread shows that it lives."""
    began = threading.Event()

    def block_once(request: Request, number: int) -> Completion:
        if not began.is_set():
            began.set()
            time.sleep(BLOCKED_S)
        return right(request, number)

    slow, fast = ScriptedModel(block_once), ScriptedModel(right)
    await submitted(postgres_url)

    def run_slow() -> None:
        asyncio.run(work(postgres_url, slow, worker_id="slow", offset_s=-60))

    behind = asyncio.create_task(asyncio.to_thread(run_slow))
    assert await asyncio.to_thread(began.wait, 30)
    await asyncio.wait_for(work(postgres_url, fast, worker_id="fast", offset_s=60), timeout=60)
    await asyncio.wait_for(behind, timeout=60)
    asked = Counter(request.cue().right for model in (slow, fast) for request in model.requests)
    assert asked.total() == ITEMS
    assert slow.requests
    assert "not heard of" not in caplog.text
