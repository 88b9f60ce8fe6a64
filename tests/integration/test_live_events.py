"""Live events over both databases: two hundred listeners and one reader, and nothing lost on a cut."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.store.database.database import Database, connected
from assay.adapters.store.database.url import located
from assay.adapters.store.events.store import SqlEventStore
from assay.adapters.store.stores import open_stores
from assay.api.events.event_hub import EventHub, HubOptions
from assay.domain.event import Event, EventType
from assay.domain.run import Run, RunId, RunSpec, State
from assay.engine.stores import Stores
from tests.builders import NOON
from tests.unit.api.events.test_event_hub import all_of, taken

RUN = RunId("00000001-run")
LISTENERS, BURSTS, BURST = 200, 10, 7
OPTIONS = HubOptions(poll_s=0.1, settle_s=0.05)


class WatchedEvents(SqlEventStore):
    """Counts the readings of events, and how many go on at once."""

    readings = 0
    at_once = 0
    most_at_once = 0

    async def page(self, run_id: RunId | None, *, after: int = 0, limit: int = 500) -> tuple[Event, ...]:
        self.readings += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await super().page(run_id, after=after, limit=limit)
        finally:
            self.at_once -= 1


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[tuple[Stores, Database]]:
    is_sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path}/a.db" if is_sqlite else request.getfixturevalue("postgres_url")
    stores, database = await open_stores(url), connected(located(url))
    await stores.runs.add(Run(RUN, RunSpec(("sim/good",), ("letters",)), NOON), [], [])
    yield stores, database
    await stores.close()
    await database.close()


@pytest.fixture
def watched(opened: tuple[Stores, Database]) -> WatchedEvents:
    return WatchedEvents(opened[1])


@pytest.fixture
def store(opened: tuple[Stores, Database], watched: WatchedEvents) -> Stores:
    return replace(opened[0], events=watched)


async def happen(store: Stores) -> None:
    await store.events.add([Event(RUN, EventType.BENCHMARK_PROGRESS, NOON, str(n)) for n in range(BURST)])


async def end(store: Stores) -> None:
    await store.runs.set_state(RUN, State.RUNNING, at=NOON)
    await store.runs.set_state(RUN, State.SUCCEEDED, at=NOON)
    await store.events.add([Event(RUN, EventType.RUN_COMPLETED, NOON)])


async def test_two_hundred_listeners_cost_one_reader(store: Stores, watched: WatchedEvents) -> None:
    hub = EventHub(store, OPTIONS)
    await happen(store)
    listening = [asyncio.create_task(all_of(hub, run_id=RUN)) for _ in range(LISTENERS)]
    for _ in range(BURSTS):
        await happen(store)
    await end(store)
    everything = await asyncio.gather(*listening)
    told = [event.id for event in await store.events.page(RUN)]
    assert len(told) == (BURSTS + 1) * BURST + 1
    assert all(found == told for found in everything)
    assert watched.most_at_once == 1
    # Each of them reading for itself would take as many for the first events alone.
    assert watched.readings < LISTENERS


async def test_who_was_cut_off_sees_every_event_once(store: Stores) -> None:
    hub = EventHub(store, OPTIONS)
    await happen(store)
    with hub.listener(RUN, after=None) as listener:
        first = await taken(listener, 4)
    await happen(store)
    await end(store)
    rest = await all_of(hub, after=first[-1], run_id=RUN)
    assert first + rest == [event.id for event in await store.events.page(RUN)]
