"""Live events over both databases: two hundred listeners and one reader, and nothing lost on a cut."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from assay.adapters.store.sql import SqlStore, open_store
from assay.api.events.event_hub import EventHub, HubOptions
from assay.domain.event import Event, EventType
from assay.domain.run import Run, RunId, RunSpec, State
from tests.builders import NOON
from tests.unit.api.events.test_event_hub import all_of, taken

RUN = RunId("00000001-run")
LISTENERS, BURSTS, BURST = 200, 10, 7
OPTIONS = HubOptions(poll_s=0.1, settle_s=0.05)


class WatchedStore(SqlStore):
    """Counts the readings of events, and how many go on at once."""

    readings = 0
    at_once = 0
    most_at_once = 0

    async def list_events(
        self, run_id: RunId | None, *, after: int = 0, limit: int = 500
    ) -> tuple[Event, ...]:
        self.readings += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await super().list_events(run_id, after=after, limit=limit)
        finally:
            self.at_once -= 1


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[WatchedStore]:
    is_sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path}/a.db" if is_sqlite else request.getfixturevalue("postgres_url")
    store = WatchedStore((await open_store(url)).database)
    await store.runs.add_run(Run(RUN, RunSpec(("sim/good",), ("letters",)), NOON), [], [])
    yield store
    await store.close()


async def happen(store: SqlStore) -> None:
    await store.events.add_events(
        [Event(RUN, EventType.BENCHMARK_PROGRESS, NOON, str(n)) for n in range(BURST)]
    )


async def end(store: SqlStore) -> None:
    await store.runs.change_run(RUN, State.RUNNING, at=NOON)
    await store.runs.change_run(RUN, State.SUCCEEDED, at=NOON)
    await store.events.add_events([Event(RUN, EventType.RUN_COMPLETED, NOON)])


async def test_two_hundred_listeners_cost_one_reader(store: WatchedStore) -> None:
    hub = EventHub(store, OPTIONS)
    await happen(store)
    listening = [asyncio.create_task(all_of(hub, run_id=RUN)) for _ in range(LISTENERS)]
    for _ in range(BURSTS):
        await happen(store)
    await end(store)
    everything = await asyncio.gather(*listening)
    told = [event.id for event in await SqlStore.list_events(store, RUN)]
    assert len(told) == (BURSTS + 1) * BURST + 1
    assert all(found == told for found in everything)
    assert store.most_at_once == 1
    # Each of them reading for itself would take as many for the first events alone.
    assert store.readings < LISTENERS


async def test_who_was_cut_off_sees_every_event_once(store: WatchedStore) -> None:
    hub = EventHub(store, OPTIONS)
    await happen(store)
    with hub.listener(RUN, after=None) as listener:
        first = await taken(listener, 4)
    await happen(store)
    await end(store)
    rest = await all_of(hub, after=first[-1], run_id=RUN)
    assert first + rest == [event.id for event in await SqlStore.list_events(store, RUN)]
