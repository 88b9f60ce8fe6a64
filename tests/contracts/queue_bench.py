"""Queues and workers to test with: what a handler saw is noted, and nothing outlives the test."""

import asyncio
import shutil
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from inspect import isawaitable
from pathlib import Path

import pytest

from assay.adapters.queue.durable import open_queue
from assay.adapters.queue.memory import MemoryQueue, Shelf
from assay.adapters.store.url import located
from assay.engine.execution.queue import WHOLE_QUEUE, Depth, Lane, ShardId, ShardQueue, Ticket
from tests.contracts.conftest import KINDS
from tests.postgres import Cluster

on_databases = pytest.mark.parametrize("store_url", KINDS[1:], indirect=True)
on_postgres = pytest.mark.parametrize("store_url", KINDS[2:], indirect=True)

BACKOFF_S = 0.02
DEADLINE_S = 15.0


def tickets(*names: str, epoch: int = 0, priority: int = 0) -> list[Ticket]:
    return [Ticket(ShardId(name), epoch, "sim/good", priority) for name in names]


async def until(condition: Callable[[], bool | Awaitable[bool]], *, within_s: float = DEADLINE_S) -> float:
    """Wait for it, and say how long that took; a test that waits in vain fails here."""
    began = time.monotonic()
    while True:
        holds = condition()
        if await holds if isawaitable(holds) else holds:
            return time.monotonic() - began
        assert time.monotonic() - began < within_s, "the deadline has passed"
        await asyncio.sleep(0.01)


async def is_idle(queue: ShardQueue) -> bool:
    return await queue.depth() == Depth(queued=0, running=0)


class Shards:
    """A handler: shards named `hold…` run until `release` is set, `bad…` fail, others end at once."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.finished: list[str] = []
        self.cancelled: list[str] = []
        self.given_up: list[tuple[str, str]] = []
        self.running: Counter[str] = Counter()
        self.most_running = 0
        self.most_of_one = 0
        self.release = asyncio.Event()
        self.failures: dict[str, int] = {}
        self.loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, shard_id: ShardId) -> None:
        self.loop = asyncio.get_running_loop()
        self.started.append(shard_id)
        self.running[shard_id] += 1
        self.most_running = max(self.most_running, self.running.total())
        self.most_of_one = max(self.most_of_one, self.running[shard_id])
        try:
            await self._run(shard_id)
        except asyncio.CancelledError:
            self.cancelled.append(shard_id)
            raise
        finally:
            self.running[shard_id] -= 1
        self.finished.append(shard_id)

    async def _run(self, shard_id: ShardId) -> None:
        if self.failures.get(shard_id, 0) > 0:
            self.failures[shard_id] -= 1
            raise ValueError(f"{shard_id} failed")
        if shard_id.startswith("hold"):
            await self.release.wait()

    async def give_up(self, shard_id: ShardId, error: Exception) -> None:
        self.given_up.append((shard_id, str(error)))


async def prepare(url: str) -> None:
    """Give a database the queue's tables, for others to be copied from it."""
    await (await open_queue(located(url).url)).close()


class Bench:
    """One queue, seen by as many as a test needs: in memory, or in the database at `url`."""

    def __init__(self, url: str | None) -> None:
        self.url = url
        self._shelf = Shelf()
        self._opened: list[ShardQueue] = []
        self._work: list[asyncio.Task[None]] = []

    async def open(self) -> ShardQueue:
        if self.url is None:
            queue: ShardQueue = MemoryQueue(self._shelf, backoff_s=BACKOFF_S)
        else:
            queue = await open_queue(located(self.url).url, backoff_s=BACKOFF_S)
        self._opened.append(queue)
        return queue

    def start(
        self,
        queue: ShardQueue,
        shards: Shards,
        *,
        worker_id: str = "here",
        slots: int = 4,
        lane: Lane = WHOLE_QUEUE,
    ) -> asyncio.Task[None]:
        work = queue.work(shards, on_poison=shards.give_up, worker_id=worker_id, slots=slots, lane=lane)
        self._work.append(asyncio.create_task(work))
        return self._work[-1]

    async def close(self) -> None:
        for queue in self._opened:
            await queue.close()
        for result in await asyncio.gather(*self._work, return_exceptions=True):
            if isinstance(result, Exception):
                raise result


@pytest.fixture(scope="session")
def migrated_file(migrated_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the tables of store and queue; copied for each test."""
    path = tmp_path_factory.mktemp("queue") / "empty.db"
    shutil.copy(migrated_file, path)
    asyncio.run(prepare(f"sqlite:///{path}"))
    return path


@pytest.fixture(scope="session")
def migrated_database(migrated_database: str, postgres: Cluster) -> str:
    url = postgres.new_database(template=migrated_database)
    asyncio.run(prepare(url))
    return url.rpartition("/")[2]


@pytest.fixture
async def bench(store_url: str | None) -> AsyncGenerator[Bench]:
    made = Bench(store_url)
    yield made
    await made.close()


@pytest.fixture
async def queue(bench: Bench) -> ShardQueue:
    return await bench.open()


@pytest.fixture
def shards() -> Shards:
    return Shards()
