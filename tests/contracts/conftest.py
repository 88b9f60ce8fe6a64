"""Stores for the contract suite: on SQLite and on Postgres, each empty at the start of a test."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path

import pytest

from assay.adapters.store.stores import open_stores
from assay.engine.stores import Stores
from tests.postgres import Cluster

OpenStores = Callable[[], Awaitable[Stores]]
KINDS = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copied for each test: migrating takes longer than most of them."""
    path = tmp_path_factory.mktemp("template") / "empty.db"
    asyncio.run(_migrate(f"sqlite:///{path}"))
    return path


@pytest.fixture(scope="session")
def migrated_database(postgres: Cluster) -> str:
    url = postgres.new_database()
    asyncio.run(_migrate(url))
    return url.rpartition("/")[2]


async def _migrate(url: str) -> None:
    await (await open_stores(url)).close()


@pytest.fixture(params=KINDS)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with our tables and nothing in them."""
    if request.param == "sqlite":
        path = tmp_path / "assay.db"
        shutil.copy(request.getfixturevalue("migrated_file"), path)
        return f"sqlite:///{path}"
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.new_database(template=request.getfixturevalue("migrated_database"))


@pytest.fixture
async def reopen(store_url: str) -> AsyncGenerator[OpenStores]:
    """Opens the test's database once more, as another process would."""
    opened: list[Stores] = []

    async def open_again() -> Stores:
        opened.append(await open_stores(store_url))
        return opened[-1]

    yield open_again
    for store in opened:
        await store.close()


@pytest.fixture
async def store(reopen: OpenStores) -> Stores:
    return await reopen()
