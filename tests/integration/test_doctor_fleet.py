"""What `assay doctor` says of the database, the workers and the queue of an installation."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from sqlalchemy import text

from assay.adapters.store.database.database import connected
from assay.adapters.store.database.url import located
from assay.adapters.store.schema import HEAD
from assay.bootstrap import opened_queue
from assay.cli.actions.doctor.finding import Finding
from assay.cli.actions.doctor.fleet import examine_fleet
from assay.domain.shard import ShardId
from assay.engine.execution.queue import Ticket
from assay.engine.stores import Stores
from assay.engine.stores.fleet import Worker
from assay.installation import opened_stores, version
from assay.settings import Settings, load_settings
from tests.builders import NOON
from tests.stores import set_silent


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def settings(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    # However slow the machine is: a heartbeat must count as one until it is looked at.
    monkeypatch.setenv("WORKER_HEARTBEAT_SECONDS", "6")
    if request.param == "postgres":
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("postgres_url"))
    return load_settings()


@pytest.fixture
async def stores(settings: Settings) -> AsyncGenerator[Stores]:
    async with opened_stores(settings) as stores:
        yield stores


async def found(settings: Settings) -> dict[str, Finding]:
    return {one.what: one for one in await examine_fleet(settings)}


async def test_each_worker_is_told_with_what_is_wrong_with_it(settings: Settings, stores: Stores) -> None:
    own = version()
    for worker in (
        Worker("busy", "alpha", NOON, 4, running=(ShardId("s"),), version=own, sandbox="bubblewrap"),
        Worker("old", "beta", NOON, 4, version="0.0.1"),
        Worker("gone", "gamma", NOON, 4, version=own),
    ):
        await stores.fleet.heartbeat(worker)
    await set_silent(stores, "gone", 600)
    told = await found(settings)
    assert told["database"].status == "ok"
    assert f"schema {HEAD}" in told["database"].state
    busy, old, gone = (told[f"worker {name}"] for name in ("busy", "old", "gone"))
    assert busy.status == "ok"
    assert busy.state.startswith(f"on alpha, version {own}, 1 of 4 shards, sandbox bubblewrap, heard of ")
    assert (old.status, gone.status) == ("note", "failure")
    assert "version 0.0.1, 0 of 4 shards, sandbox not used yet" in old.state
    assert "counts as dead" in gone.state
    assert told["queue"].state == "0 shards waiting, 0 under way, 2 workers at work"
    assert {told["disk"].what, told["signing key"].what} == {"disk", "signing key"}


async def test_work_that_nobody_does_is_a_failure(settings: Settings, stores: Stores) -> None:
    async with opened_queue(settings, is_shared=True) as queue:
        tickets = [Ticket(ShardId("s1"), 0, "sim/good"), Ticket(ShardId("s2"), 0, "sim/good")]
        database = connected(located(settings.store_url))
        await database.write(lambda connection: queue.submit_within(connection, tickets))
        await database.close()
    told = (await found(settings))["queue"]
    assert (told.status, told.state) == ("failure", "2 shards waiting, 0 under way, and no worker is at work")
    await stores.fleet.heartbeat(Worker("one", "alpha", NOON, 4, version=version()))
    assert (await found(settings))["queue"].status == "ok"


async def test_a_database_of_another_version_is_told_and_left_alone(
    settings: Settings, stores: Stores
) -> None:
    assert await stores.fleet.later_schema() is None
    database = connected(located(settings.store_url))
    for schema in ("0001", "9999"):
        statement = text("UPDATE alembic_version SET version_num = :schema").bindparams(schema=schema)
        await database.write(lambda connection, change=statement: connection.execute(change))
        told = (await found(settings))["database"]
        assert told.status == "failure"
        assert f"has schema {schema}, this version {HEAD}" in told.state
        assert await stores.fleet.later_schema() == schema
    await database.close()
