"""How the durable queue keeps its tables: created once, kept small, on any SQLite."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import dbos._migration
import pytest
from sqlalchemy import Connection, column, func, select, table, update

from assay.adapters.store.engine import connected
from assay.adapters.store.url import located
from assay.engine.execution.queue import Depth, ShardQueue
from tests.contracts import queue_bench
from tests.contracts.queue_bench import Bench, Shards, is_idle, on_databases, tickets, until

bench, queue, shards = queue_bench.bench, queue_bench.queue, queue_bench.shards


@on_databases
async def test_tickets_that_ended_long_ago_are_forgotten(
    bench: Bench, queue: ShardQueue, shards: Shards, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.adapters.queue.shift._TIDY_EVERY_S", 0.0)
    monkeypatch.setattr("assay.adapters.queue.shift._KEEP_ENDED_S", -60.0)
    database = connected(located(store_url))
    schema = None if store_url.startswith("sqlite") else "dbos"

    async def rows() -> list[int]:
        def count(connection: Connection) -> list[int]:
            tables = ("workflow_status", "workflow_input", "workflow_output")
            return [
                connection.execute(select(func.count()).select_from(table(name, schema=schema))).scalar_one()
                for name in tables
            ]

        return await database.read(count)

    async def only_live_ones_are_left() -> bool:
        return await rows() == [2, 2, 0]

    await queue.submit(tickets("s1", "s2", "hold", "withdrawn"))
    await queue.withdraw(tickets("withdrawn"))
    bench.start(queue, shards, slots=1)
    await until(lambda: "hold" in shards.started)
    await queue.submit(tickets("waiting"))
    await until(only_live_ones_are_left)
    assert await queue.depth() == Depth(queued=1, running=1)
    await database.close()


@on_databases
async def test_a_ticket_that_was_lost_on_its_way_to_the_worker_is_queued_again(
    bench: Bench, queue: ShardQueue, shards: Shards, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.adapters.queue.shift._STRAY_S", 0.1)
    database = connected(located(store_url))
    schema = None if store_url.startswith("sqlite") else "dbos"
    rows = table(
        "workflow_status", column("workflow_uuid"), column("status"), column("executor_id"), schema=schema
    )

    def claim(connection: Connection) -> None:
        queue.submit_within(connection, tickets("lost"))
        lost = update(rows).where(rows.c.workflow_uuid == "lost#0")
        connection.execute(lost.values(status="PENDING", executor_id="here"))

    bench.start(queue, shards, worker_id="here")
    await queue.submit(tickets("first"))
    await until(lambda: is_idle(queue))
    await database.write(claim)
    await database.close()
    assert await queue.depth() == Depth(queued=0, running=1)
    await until(lambda: shards.finished == ["first", "lost"])


@pytest.mark.postgres
async def test_many_open_an_empty_postgres_database_at_once(postgres_url: str) -> None:
    await open_by_many(postgres_url)


async def test_many_open_an_empty_sqlite_file_at_once(tmp_path: Path) -> None:
    await open_by_many(f"sqlite:///{tmp_path / 'assay.db'}")


async def open_by_many(url: str) -> None:
    bench = Bench(url)
    queues = await asyncio.gather(*(bench.open() for _ in range(5)))
    await asyncio.gather(*(queue.submit(tickets("same", f"s{n}")) for n, queue in enumerate(queues)))

    assert await queues[0].depth() == Depth(queued=6, running=0)
    await bench.close()


async def test_newer_python_with_older_sqlite(
    shards: Shards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From Python 3.12 on dbos calls a function that SQLite has since 3.42, in defaults of its tables too."""
    migrations = [
        statement.replace("strftime('%s','now')", "unixepoch('subsec')")
        for statement in dbos._migration.sqlite_migrations
    ]
    monkeypatch.setattr("dbos._sys_db_sqlite.sqlite_migrations", migrations)
    newer = SimpleNamespace(version_info=(3, 12), maxsize=sys.maxsize)
    monkeypatch.setattr("dbos._sys_db.sys", newer)
    url = f"sqlite:///{tmp_path / 'assay.db'}"

    bench = Bench(url)
    queue = await bench.open()
    database = connected(located(url))
    await database.write(lambda connection: queue.submit_within(connection, tickets("s")))
    await database.close()
    bench.start(queue, shards)
    await until(lambda: is_idle(queue))
    assert shards.finished == ["s"]
    await bench.close()
