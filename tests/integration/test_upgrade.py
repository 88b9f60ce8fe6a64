"""Two versions side by side while an installation is upgraded."""

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, inspect, text

from assay.adapters.store.database.database import connected
from assay.adapters.store.database.url import located
from assay.adapters.store.schema import HEAD, MIGRATIONS
from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import (
    ITEMS,
    ended,
    finished,
    is_at_work,
    requests,
    rows,
    submitted,
    wait_until,
)
from tests.postgres import Cluster

LATER = "9999"
# A worker of a version whose newest migration is one later.
LATER_WORKER = """
import sys
from assay.adapters.store import schema
schema.HEAD = "9999"
from assay.cli.main import main
sys.argv = ["assay", "worker", "--concurrency", "4"]
main()
"""
# The newest schema beside which earlier workers may still be at work.
FLOOR = "0020"


@pytest.fixture
def assay(postgres: Cluster, tmp_path: Path) -> Assay:
    often = ("WORKER_HEARTBEAT_SECONDS", "0.5")
    return Assay(tmp_path / "home", (often, ("DATABASE_URL", postgres.new_database())))


def upgrade(assay: Assay) -> None:
    """What the next version does: it adds."""

    def add(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE runs ADD COLUMN of_the_next_version TEXT"))
        connection.execute(text("UPDATE alembic_version SET version_num = :later"), {"later": LATER})

    async def work() -> None:
        database = connected(located(assay.database_url or ""))
        await database.write(add)
        await database.close()

    asyncio.run(work())


@pytest.mark.postgres
def test_an_earlier_worker_finishes_what_it_has_and_leaves_the_rest_to_a_later_one(assay: Assay) -> None:
    """The shard of one run is under way when the database is upgraded, and that of another waits."""
    with sim_server(assay, "--behaviour", "ttft_ms=150") as base_url, ExitStack() as stack:
        # What it has takes longer than the grace of a worker that is stopped.
        earlier = assay.start("worker", "--concurrency", "1", "--grace", "0.1")
        stack.callback(ended, earlier)
        assert is_at_work(earlier)
        for _ in range(2):
            submitted(assay, base_url, samples=1, connections=2)
        wait_until(lambda: requests(base_url) > 4, within_s=60)
        upgrade(assay)
        assert earlier.wait(timeout=60) == 4
        assert "a later version of Assay has upgraded the database" in assay.log.read_text()
        assert not finished(assay)
        later = Popen([sys.executable, "-c", LATER_WORKER], env=assay.environment(), stdout=PIPE, text=True)
        stack.callback(ended, later)
        assert is_at_work(later)
        wait_until(lambda: finished(assay), within_s=60)
        assert rows(assay, "SELECT state FROM runs") == [("succeeded",)] * 2
        # A call that was cut off would have been made again.
        assert requests(base_url) == 2 * ITEMS


@pytest.mark.postgres
def test_an_earlier_worker_does_not_start(assay: Assay) -> None:
    assert assay("list").returncode == 0
    upgrade(assay)
    done = assay("worker")
    assert done.returncode == 4
    assert "was written by a later version of Assay" in done.stderr


def migrated(folder: Path, revision: str) -> dict[str, dict[str, Any]]:
    """The columns of each table as they are at a revision."""
    engine = create_engine(f"sqlite:///{folder / revision}.db")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        found = inspect(connection)
        return {
            table: {column["name"]: column for column in found.get_columns(table)}
            for table in found.get_table_names()
        }


def test_migrations_only_add_what_an_earlier_version_need_not_know(tmp_path: Path) -> None:
    """It goes on reading and writing the tables that it knows, until its last shard is done."""
    before, after = migrated(tmp_path, FLOOR), migrated(tmp_path, HEAD)
    for table, columns in before.items():
        assert columns.keys() <= after[table].keys()
        for name, column in columns.items():
            assert (str(after[table][name]["type"]), after[table][name]["nullable"]) == (
                str(column["type"]),
                column["nullable"],
            )
        for name in after[table].keys() - columns.keys():
            column = after[table][name]
            assert column["nullable"] or column["default"] is not None, f"{table}.{name}"
