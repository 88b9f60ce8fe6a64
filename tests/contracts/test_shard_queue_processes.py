"""The queue in PostgreSQL when workers and the database are killed, frozen, stopped and started."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from assay.domain.shard import ShardId
from assay.engine.execution.queue import Depth, ShardQueue
from tests.contracts import queue_fixtures
from tests.contracts.queue_fixtures import LEASE_S, OpenQueues, Shards, is_idle, tickets, until
from tests.postgres import Cluster, programs

PROGRAM = Path(__file__).with_name("queue_process.py")
HELD = ("hold-1", "hold-2", "hold-3", "hold-4")

migrated_database = queue_fixtures.migrated_database
queues, queue, shards = queue_fixtures.queues, queue_fixtures.queue, queue_fixtures.shards
pytestmark = queue_fixtures.on_postgres


@dataclass
class Worker:
    """A worker in another process, and what its handler said."""

    process: asyncio.subprocess.Process
    said: list[str] = field(default_factory=list[str])

    def shards(self, word: str) -> list[str]:
        return sorted(line.split()[1] for line in self.said if line.startswith(f"{word} "))

    async def listen(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.said.append(line.decode().strip())


class Workers:
    def __init__(self, url: str) -> None:
        self._url = url
        self._started: list[tuple[Worker, asyncio.Task[None]]] = []

    async def start(self, *, slots: int = 4, grace_s: float = 0.0) -> Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            PROGRAM,
            self._url,
            str(slots),
            str(grace_s),
            str(LEASE_S),
            stdout=subprocess.PIPE,
        )
        worker = Worker(process)
        self._started.append((worker, asyncio.create_task(worker.listen())))
        return worker

    async def close(self) -> None:
        for worker, listening in self._started:
            if worker.process.returncode is None:
                worker.process.kill()
            await worker.process.wait()
            await listening


@pytest.fixture
async def workers(store_url: str) -> AsyncGenerator[Workers]:
    made = Workers(store_url)
    yield made
    await made.close()


async def taken_over(queue: ShardQueue, *, running: Sequence[ShardId] = ()) -> int:
    """How many shards were queued again, as soon as there are some."""
    counts: list[int] = []

    async def look() -> bool:
        counts.append(await queue.requeue_stalled(lease_s=LEASE_S, running=running))
        return counts[-1] > 0

    await until(look)
    return counts[-1]


async def test_what_a_killed_worker_had_is_taken_over(
    queues: OpenQueues, queue: ShardQueue, shards: Shards, workers: Workers
) -> None:
    await queues.submit(*tickets(*HELD))
    victim = await workers.start()
    await until(lambda: len(victim.shards("started")) == 4)
    queues.start(queue, shards)
    assert await queue.requeue_stalled(lease_s=LEASE_S, running=()) == 0
    victim.process.kill()
    await victim.process.wait()

    assert await taken_over(queue, running=[ShardId("hold-1")]) == 3
    assert await taken_over(queue) == 1
    await until(lambda: sorted(shards.started) == sorted(HELD))
    assert await queue.requeue_stalled(lease_s=LEASE_S, running=()) == 0
    assert await queue.depth() == Depth(queued=0, running=4)


async def test_what_a_dead_worker_had_and_was_withdrawn_is_not_started_again(
    queues: OpenQueues, queue: ShardQueue, shards: Shards, workers: Workers
) -> None:
    await queues.submit(*tickets(*HELD))
    victim = await workers.start()
    await until(lambda: len(victim.shards("started")) == 4)
    victim.process.kill()
    await victim.process.wait()
    await queue.withdraw(tickets(*HELD))

    queues.start(queue, shards)
    await taken_over(queue)
    await until(lambda: is_idle(queue))
    assert not shards.started


async def test_a_worker_that_was_frozen_stops_what_others_have_taken_over(
    queues: OpenQueues, queue: ShardQueue, shards: Shards, workers: Workers
) -> None:
    await queues.submit(*tickets(*HELD))
    frozen = await workers.start()
    await until(lambda: len(frozen.shards("started")) == 4)
    frozen.process.send_signal(signal.SIGSTOP)

    queues.start(queue, shards)
    assert await taken_over(queue) == 4
    await until(lambda: len(shards.started) == 4)
    frozen.process.send_signal(signal.SIGCONT)
    await until(lambda: frozen.shards("cancelled") == sorted(HELD))

    shards.release.set()
    await until(lambda: is_idle(queue))
    assert sorted(shards.finished) == sorted(HELD)


async def test_withdraw_reaches_another_process_and_a_stopped_one_hands_over(
    queues: OpenQueues, queue: ShardQueue, shards: Shards, workers: Workers
) -> None:
    await queues.submit(*tickets("hold-a", "hold-b", *HELD))
    other = await workers.start(slots=6, grace_s=0.5)
    await until(lambda: len(other.shards("started")) == 6)

    await queue.withdraw(tickets("hold-a", "hold-b"))
    await until(lambda: other.shards("cancelled") == ["hold-a", "hold-b"])

    queues.start(queue, shards)
    other.process.terminate()
    await until(lambda: sorted(shards.started) == sorted(HELD))
    assert await asyncio.wait_for(other.process.wait(), 60) == 0
    assert other.shards("cancelled") == sorted(("hold-a", "hold-b", *HELD))


async def test_two_workers_never_have_the_same_ticket(
    queues: OpenQueues, queue: ShardQueue, workers: Workers
) -> None:
    names = sorted(f"s{number}" for number in range(40))
    one = await workers.start()
    two = await workers.start(slots=2)
    await until(lambda: one.said + two.said == ["ready", "ready"])
    await queues.submit(*tickets(*names))
    await until(lambda: is_idle(queue))

    assert sorted(one.shards("started") + two.shards("started")) == names
    assert sorted(one.shards("finished") + two.shards("finished")) == names


async def test_a_restart_of_postgres_is_survived(
    queues: OpenQueues, queue: ShardQueue, shards: Shards, postgres: Cluster
) -> None:
    queues.start(queue, shards, slots=3)
    await queues.submit(*tickets("hold", *(f"s{number}" for number in range(12))))
    await until(lambda: len(shards.finished) >= 4)

    await asyncio.to_thread(restart, postgres)
    await until(lambda: len(shards.finished) == 12)
    shards.release.set()
    await until(lambda: is_idle(queue))
    assert shards.started.count("hold") == 1
    assert not shards.given_up


def restart(cluster: Cluster) -> None:
    folder = programs()
    assert folder is not None
    with psycopg.connect(cluster.url("postgres")) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    data = Path(str(row[0]))
    subprocess.run(
        [folder / "pg_ctl", "-D", data, "-m", "fast", "-w", "-l", "/dev/null", "restart"],
        user=data.stat().st_uid,
        stdout=subprocess.DEVNULL,
        cwd="/",
        check=True,
    )
