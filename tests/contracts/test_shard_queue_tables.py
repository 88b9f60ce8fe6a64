"""How the queue keeps its tables: created once, and with no row that is not needed."""

import asyncio
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from assay.engine.execution.queue import Depth, ShardQueue
from tests.contracts import queue_fixtures
from tests.contracts.queue_fixtures import OpenQueues, Shards, is_idle, on_postgres, tickets, until

migrated_database = queue_fixtures.migrated_database
queues, queue, shards = queue_fixtures.queues, queue_fixtures.queue, queue_fixtures.shards


@on_postgres
async def test_nothing_is_kept_of_tickets_that_have_ended(
    queues: OpenQueues, queue: ShardQueue, shards: Shards, store_url: str
) -> None:
    await queues.submit(*tickets("s1", "s2", "withdrawn"))
    await queue.withdraw(tickets("withdrawn"))
    queues.start(queue, shards)
    await until(lambda: is_idle(queue))
    await queue.drain(grace_s=1)

    with psycopg.connect(store_url) as connection:
        for table in ("procrastinate_jobs", "procrastinate_events", "procrastinate_workers"):
            statement = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
            assert connection.execute(statement).fetchone() == (0,)


@on_postgres
async def test_a_claim_whose_reply_was_lost_is_queued_again(
    queues: OpenQueues, queue: ShardQueue, shards: Shards, store_url: str
) -> None:
    """The server has taken note of the claim when the connection breaks."""
    await queues.submit(*tickets("hold"))
    queues.start(queue, shards, slots=2)
    await until(lambda: shards.started == ["hold"])
    await queues.submit(*tickets("other", priority=9))
    await until(lambda: shards.finished == ["other"])
    await queue.set_open(is_open=False)
    await queues.submit(*tickets("lost"))
    with psycopg.connect(store_url) as connection:
        connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing',"
            " worker_id = (SELECT max(id) FROM procrastinate_workers) WHERE lock = 'lost'"
        )
    await queue.set_open(is_open=True)
    await until(lambda: shards.finished == ["other", "lost"])


@on_postgres
async def test_what_is_handed_back_may_start_at_once_whatever_the_clock_of_the_worker_says(
    queues: OpenQueues, queue: ShardQueue, shards: Shards, store_url: str
) -> None:
    await queues.submit(*tickets("hold"))
    queues.start(queue, shards)
    await until(lambda: shards.started == ["hold"])
    await queue.drain(grace_s=0)

    with psycopg.connect(store_url) as connection:
        statement = "SELECT count(*) FROM procrastinate_jobs WHERE scheduled_at < now() - interval '1 year'"
        assert connection.execute(statement).fetchone() == (1,)


async def test_what_a_killed_worker_had_starts_again_at_once_on_sqlite(tmp_path: Path) -> None:
    first = OpenQueues(f"sqlite:///{tmp_path / 'assay.db'}")
    shards = Shards()
    killed = await first.open()
    await first.submit(*tickets("hold"))
    work = first.start(killed, shards)
    await until(lambda: shards.started == ["hold"])

    # The killed one does not leave, so that its claims stay.
    second = OpenQueues(first.url)
    second.start(await second.open(), shards)
    await until(lambda: shards.started == ["hold", "hold"])
    shards.release.set()
    await second.close()
    await first.close()
    assert work.done()


@pytest.mark.postgres
async def test_many_open_an_empty_postgres_database_at_once(postgres_url: str) -> None:
    await open_by_many(postgres_url)


async def test_many_open_an_empty_sqlite_file_at_once(tmp_path: Path) -> None:
    await open_by_many(f"sqlite:///{tmp_path / 'assay.db'}")


async def open_by_many(url: str) -> None:
    queues = OpenQueues(url)
    first, *_ = await asyncio.gather(*(queues.open() for _ in range(5)))
    await asyncio.gather(*(queues.submit(*tickets(f"s{number}")) for number in range(5)))

    assert await first.depth() == Depth(queued=5, running=0)
    await queues.close()
