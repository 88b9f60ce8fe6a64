"""Queues and workers to test with: what a handler saw is noted, and nothing outlives the test."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from inspect import isawaitable

import pytest

from assay.adapters.queue import postgres, sqlite
from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.store.database.database import Database, connected
from assay.adapters.store.database.url import located
from assay.domain.shard import ShardId
from assay.engine.execution.queue import WHOLE_QUEUE, Depth, Lane, ShardQueue, Ticket, WorkerConfig
from tests.contracts.conftest import KINDS
from tests.postgres import Cluster

on_postgres = pytest.mark.parametrize("store_url", KINDS[1:], indirect=True)

BACKOFF_S = 0.02
LEASE_S = 1.0
DEADLINE_S = 60.0


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
    await (await postgres.open_queue(located(url).url)).close()


Opened = MemoryQueue | sqlite.SqliteQueue | postgres.PostgresQueue


class OpenQueues:
    """One queue, seen by as many as a test needs: in memory, or in the database at `url`."""

    def __init__(self, url: str | None) -> None:
        self.url = url
        self.database: Database | None = None if url is None else connected(located(url))
        self._memory = MemoryQueue()
        self._opened: list[Opened] = []
        self._work: list[asyncio.Task[None]] = []

    async def open(self) -> ShardQueue:
        if self.database is None:
            queue: Opened = self._memory
        elif self.database.location.kind == "sqlite":
            queue = await sqlite.open_queue(self.database)
        else:
            queue = await postgres.open_queue(self.database.location.url)
        queue.backoff_s = BACKOFF_S
        self._opened.append(queue)
        return queue

    async def submit(self, *given: Ticket) -> None:
        """As the store does when it creates a run."""
        queue = self._opened[0]
        if self.database is None:
            queue.submit_within(None, given)
        else:
            await self.database.write(lambda connection: queue.submit_within(connection, given))

    def start(
        self, queue: ShardQueue, shards: Shards, *, slots: int = 4, lane: Lane = WHOLE_QUEUE
    ) -> asyncio.Task[None]:
        config = WorkerConfig(shards, shards.give_up, slots=slots, lane=lane, lease_s=LEASE_S)
        self._work.append(asyncio.create_task(queue.work(config)))
        return self._work[-1]

    async def close(self) -> None:
        for queue in self._opened:
            await queue.close()
        if self.database is not None:
            await self.database.close()
        for result in await asyncio.gather(*self._work, return_exceptions=True):
            if isinstance(result, Exception):
                raise result


@pytest.fixture(scope="session")
def migrated_database(migrated_database: str, postgres: Cluster) -> str:
    url = postgres.new_database(template=migrated_database)
    asyncio.run(prepare(url))
    return url.rpartition("/")[2]


@pytest.fixture
async def queues(store_url: str | None) -> AsyncGenerator[OpenQueues]:
    made = OpenQueues(store_url)
    yield made
    await made.close()


@pytest.fixture
async def queue(queues: OpenQueues) -> ShardQueue:
    return await queues.open()


@pytest.fixture
def shards() -> Shards:
    return Shards()
