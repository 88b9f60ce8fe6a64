"""The schema comes from the migrations alone, whoever opens the database first."""

import asyncio
import contextlib
import sqlite3
import sys
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from assay.adapters.store.database.database import Database, connected
from assay.adapters.store.database.metadata import metadata
from assay.adapters.store.database.url import located
from assay.adapters.store.schema import HEAD, MIGRATIONS
from assay.adapters.store.stores import open_stores
from assay.domain.calls.messages import Prompt
from assay.domain.errors import StoreError
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter
from assay.engine.stores.runs import RunFilter
from tests.builders import Seeded, attempt
from tests.conftest import REPOSITORY

OPEN = """
import asyncio, sys
from assay.adapters.store.stores import open_stores

async def main():
    await (await open_stores(sys.argv[1])).close()

asyncio.run(main())
"""
_AS_ORDINARY_USER = (
    "CREATE ROLE ordinary",
    "GRANT ALL ON SCHEMA public TO ordinary",
    "GRANT ALL ON ALL TABLES IN SCHEMA public TO ordinary",
    "SET LOCAL ROLE ordinary",
)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/new/folder/assay.db"
    return request.getfixturevalue("postgres_url")


@pytest.fixture
async def store(empty_url: str) -> AsyncGenerator[Stores]:
    store = await open_stores(empty_url)
    yield store
    await store.close()


@pytest.fixture
async def database(store: Stores, empty_url: str) -> AsyncGenerator[Database]:
    _ = store
    database = connected(located(empty_url))
    yield database
    await database.close()


def is_described(_object: object, name: str | None, *_kind: object) -> bool:
    """Alembic knows neither FTS5's tables nor an index that Postgres may refuse."""
    return name is None or not name.startswith(("search_index", "search_terms", "ix_searched_texts_text"))


def differences(connection: Connection) -> list[Any]:
    options = {"compare_type": True, "include_object": is_described}
    context = MigrationContext.configure(connection, opts=options)
    return compare_metadata(context, metadata)


async def test_the_migrations_lead_to_the_tables_of_the_code(database: Database) -> None:
    assert await database.read(differences) == []


def primary_keys(connection: Connection) -> dict[str, list[str]]:
    inspector = inspect(connection)
    return {name: inspector.get_pk_constraint(name)["constrained_columns"] for name in metadata.tables}


async def test_the_keys_are_those_of_the_code(database: Database) -> None:
    expected = {
        name: [column.name for column in table.primary_key] for name, table in metadata.tables.items()
    }
    assert await database.read(primary_keys) == expected


def test_the_newest_migration_is_the_one_the_code_asks_for() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


async def test_opening_again_keeps_what_is_there(store: Stores, empty_url: str) -> None:
    await store.runs.add(Seeded().run, [], [])
    again = await open_stores(empty_url)
    assert (await again.runs.page(RunFilter())).total == 1
    await again.close()


async def test_many_open_an_empty_database_at_once(empty_url: str) -> None:
    stores = await asyncio.gather(*(open_stores(empty_url) for _ in range(5)))
    await stores[0].runs.add(Seeded().run, [], [])
    assert [(await store.runs.page(RunFilter())).total for store in stores] == [1] * 5
    for store in stores:
        await store.close()


async def test_processes_open_an_empty_database_at_once(empty_url: str) -> None:
    command = (sys.executable, "-W", "error", "-c", OPEN, empty_url)
    openers = [await asyncio.create_subprocess_exec(*command, cwd=REPOSITORY) for _ in range(4)]
    assert [await opener.wait() for opener in openers] == [0] * 4
    store = await open_stores(empty_url)
    assert (await store.runs.page(RunFilter())).total == 0
    await store.close()


async def test_a_database_of_a_later_version_is_refused(database: Database, empty_url: str) -> None:
    await database.write(
        lambda connection: connection.execute(text("UPDATE alembic_version SET version_num='9999'"))
    )
    with pytest.raises(
        StoreError, match=rf"later version of Assay \(schema '9999', here '{HEAD}'\); upgrade Assay"
    ):
        await open_stores(empty_url)


async def test_runs_on_samples_become_runs_on_demo_items(store: Stores, empty_url: str) -> None:
    run = Seeded().run
    await store.runs.add(replace(run, spec=replace(run.spec, data="samples")), [], [])

    def migrate(connection: Connection) -> None:
        migration = ScriptDirectory(str(MIGRATIONS)).get_revision("0012").module
        with Operations.context(MigrationContext.configure(connection)):
            migration.upgrade()

    database = connected(located(empty_url))
    await database.write(migrate)
    await database.close()
    assert (await store.runs.get(run.id)).spec.data == "demo"


@pytest.mark.parametrize("may_have_trigrams", [True, False])
async def test_texts_from_before_there_was_an_index_are_found(
    store: Stores, empty_url: str, *, may_have_trigrams: bool
) -> None:
    """Also where Postgres refuses the extension: then the texts are read."""
    evaluation = Seeded().evaluation()
    await store.runs.add(Seeded().run, [evaluation], [])
    prompt = Prompt.of_user("What is a\nlighthouse?").to_json()
    await store.attempts.add([attempt(prompt=prompt, answer=f"{'x' * 600} with a lamp", sample=0)])

    def forget_index(connection: Connection) -> None:
        connection.execute(text("DROP TABLE searched_texts"))
        if connection.dialect.name == "sqlite":
            connection.execute(text("DROP TABLE search_terms"))
            connection.execute(text("DROP TABLE search_index"))
        else:
            connection.execute(text("DROP EXTENSION pg_trgm"))
            if not may_have_trigrams:
                for statement in _AS_ORDINARY_USER:
                    connection.execute(text(statement))
        migration = ScriptDirectory(str(MIGRATIONS)).get_revision("0019").module
        with Operations.context(MigrationContext.configure(connection)):
            migration.upgrade()
        names = {index["name"] for index in inspect(connection).get_indexes("searched_texts")}
        if connection.dialect.name != "sqlite":
            assert ("ix_searched_texts_text" in names) is may_have_trigrams

    database = connected(located(empty_url))
    await database.write(forget_index)
    await database.close()
    for part in ("A LAMP", "a\nlight", "mp"):
        assert await store.attempts.count(evaluation.id, AttemptFilter(search=part)) == 1


async def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as stranger:
        stranger.execute("CREATE TABLE events (mine TEXT)")
        with pytest.raises(StoreError, match="table events already exists"):
            await open_stores(f"sqlite:///{tmp_path}/a.db")
        assert stranger.execute("SELECT name FROM sqlite_master").fetchall() == [("events",)]
