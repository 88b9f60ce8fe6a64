"""Live events for many listeners: nothing is lost, nothing comes twice, the store has one reader."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from assay.adapters.store.events.store import SqlEventStore
from assay.adapters.store.stores import sql_stores
from assay.api.events.event_hub import Ending, EventHub, HubOptions, Listener
from assay.domain.access.visibility import Viewer, Visibility
from assay.domain.errors import StoreError
from assay.domain.event import Event, EventType
from assay.domain.run import Description, Run, RunId, RunSpec, State
from assay.engine.stores import Stores
from tests.builders import NOON
from tests.stores import MemoryDatabase, memory_stores

MINE, OTHER = RunId("00000001-run"), RunId("00000002-run")
QUICK = HubOptions(poll_s=0.005, settle_s=0.02)


class WatchedEvents(SqlEventStore):
    """Notes each reading of events, and how many go on at once; the first ones fail if it is told so."""

    readings = 0
    at_once = 0
    most_at_once = 0
    failures = 0

    async def page(self, run_id: RunId | None, *, after: int = 0, limit: int = 500) -> tuple[Event, ...]:
        self.readings += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if self.failures:
            self.failures -= 1
            raise StoreError("away for a moment")
        return await super().page(run_id, after=after, limit=limit)


@pytest.fixture
def database() -> MemoryDatabase:
    return MemoryDatabase()


@pytest.fixture
def watched(database: MemoryDatabase) -> WatchedEvents:
    return WatchedEvents(database)


@pytest.fixture
async def store(database: MemoryDatabase, watched: WatchedEvents) -> Stores:
    store = replace(sql_stores(database), events=watched)
    for run_id in (MINE, OTHER):
        await store.runs.add(Run(run_id, RunSpec(("sim/good",), ("letters",)), NOON), [], [])
    return store


async def happen(store: Stores, count: int, run_id: RunId = MINE) -> None:
    await store.events.add([Event(run_id, EventType.BENCHMARK_PROGRESS, NOON, str(n)) for n in range(count)])


async def end(store: Stores, run_id: RunId = MINE) -> None:
    await store.runs.set_state(run_id, State.RUNNING, at=NOON)
    await store.runs.set_state(run_id, State.SUCCEEDED, at=NOON)
    await store.events.add([Event(run_id, EventType.RUN_COMPLETED, NOON)])


def ids(frames: bytes) -> list[int]:
    return [int(found) for found in re.findall(rb"^id: (\d+)$", frames, re.MULTILINE)]


async def received(listener: Listener) -> AsyncIterator[int]:
    while True:
        frames = await listener.frames(timeout_s=60)
        for found in ids(frames):
            yield found
        if not frames:
            assert listener.ending is not None, "nothing came in a minute"
            return


async def taken(listener: Listener, count: int) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        found += ids(await listener.frames(timeout_s=60))
    return found


async def all_of(hub: EventHub, after: int | None = None, run_id: RunId | None = MINE) -> list[int]:
    with hub.listener(run_id, after=after) as listener:
        found = [event async for event in received(listener)]
    assert listener.ending is Ending.DONE
    return found


async def test_two_hundred_listeners_share_one_reader(store: Stores, watched: WatchedEvents) -> None:
    hub = EventHub(store, QUICK)
    await happen(store, 20)
    listening = [asyncio.create_task(all_of(hub)) for _ in range(200)]
    while watched.readings < 20:
        await asyncio.sleep(0)
    for _ in range(10):
        await happen(store, 7)
        await happen(store, 3, OTHER)
        await asyncio.sleep(0)
    await end(store)
    everything = await asyncio.gather(*listening)
    mine = [event.id for event in await store.events.page(MINE, limit=1000)]
    assert all(found == mine for found in everything)
    assert watched.most_at_once == 1
    # 200 readers would need 200 readings for the history alone.
    assert watched.readings < 150


@pytest.mark.parametrize("page", [3, 500])
async def test_who_was_cut_off_and_resumes_sees_each_event_once(store: Stores, page: int) -> None:
    hub = EventHub(store, HubOptions(poll_s=0.005, settle_s=0.02, page=page, buffer=max(page, 10)))
    await happen(store, 10)
    with hub.listener(MINE, after=None) as listener:
        first = await taken(listener, 4)
    await happen(store, 30)
    await end(store)
    assert first + await all_of(hub, after=first[-1]) == list(range(1, 42))


async def test_a_slow_listener_is_cut_off_without_a_gap(store: Stores) -> None:
    hub = EventHub(store, HubOptions(poll_s=0.001, settle_s=0.02, page=5, buffer=10))
    with hub.listener(MINE, after=None) as slow, hub.listener(MINE, after=None) as quick:
        await happen(store, 1)
        assert await taken(quick, 1) == [1]
        quick_ids: list[int] = []
        for _ in range(6):
            await happen(store, 4)
            quick_ids += await taken(quick, 4)
        assert slow.ending is Ending.CUT_OFF
        assert quick.ending is None
        assert quick_ids == list(range(2, 26))
        assert [event async for event in received(slow)] == list(range(1, 11))


async def test_all_runs_are_followed_from_now_on(store: Stores, watched: WatchedEvents) -> None:
    hub = EventHub(store, QUICK)
    await happen(store, 1000)
    with hub.listener(None, after=None) as listener:
        while watched.readings < 30:
            await asyncio.sleep(0)
        await happen(store, 1)
        await happen(store, 1, OTHER)
        assert await taken(listener, 2) == [1001, 1002]
        await end(store)
        assert await taken(listener, 1) == [1003]
        assert listener.ending is None


async def test_a_listener_gets_events_of_the_runs_that_it_sees(store: Stores) -> None:
    hub = EventHub(store, QUICK)
    await store.runs.describe(OTHER, Description(visibility=Visibility.PRIVATE))
    stranger = Viewer(("user:ada",))
    with (
        hub.listener(None, after=0, viewer=stranger) as some,
        hub.listener(None, after=0) as every,
        hub.listener(OTHER, after=0, viewer=stranger) as none,
    ):
        await happen(store, 1)
        await happen(store, 2 * QUICK.page, OTHER)
        await happen(store, 1)
        last = 2 * QUICK.page + 2
        assert await taken(some, 2) == [1, last]
        assert await taken(every, last) == list(range(1, last + 1))
        assert await none.frames(timeout_s=0.05) == b""
        await store.runs.describe(OTHER, Description(visibility=Visibility.TEAM))
        await happen(store, 1, OTHER)
        assert await taken(some, 1) == [last + 1]


async def test_all_runs_can_be_followed_from_an_event_on(store: Stores) -> None:
    hub = EventHub(store, QUICK)
    await happen(store, 5)
    await happen(store, 5, OTHER)
    with hub.listener(None, after=3) as listener:
        assert await taken(listener, 7) == list(range(4, 11))


async def test_an_id_this_process_has_not_seen_yet_is_waited_for(store: Stores) -> None:
    hub = EventHub(store, QUICK)
    await happen(store, 2)
    with hub.listener(MINE, after=4) as listener:
        await happen(store, 3)
        assert await taken(listener, 1) == [5]


async def test_a_paused_run_keeps_its_listeners(store: Stores) -> None:
    hub = EventHub(store, QUICK)
    await store.runs.set_state(MINE, State.PAUSED, at=NOON)
    with hub.listener(MINE, after=None) as listener:
        assert await listener.frames(timeout_s=0.1) == b""
        assert listener.ending is None


async def test_the_last_word_comes_before_the_end_although_the_state_is_stored_first(
    store: Stores,
) -> None:
    hub = EventHub(store, HubOptions(poll_s=0.001, settle_s=1))
    await store.runs.set_state(MINE, State.RUNNING, at=NOON)
    with hub.listener(MINE, after=None) as listener:
        await store.runs.set_state(MINE, State.SUCCEEDED, at=NOON)
        assert await listener.frames(timeout_s=0.05) == b""
        assert listener.ending is None
        await store.events.add([Event(MINE, EventType.RUN_COMPLETED, NOON)])
        assert [event async for event in received(listener)] == [1]
        assert listener.ending is Ending.DONE


async def test_who_asks_for_a_run_of_long_ago_does_not_wait(store: Stores) -> None:
    hub = EventHub(store, HubOptions(poll_s=0.001, settle_s=3600))
    await happen(store, 3)
    await end(store)
    with hub.listener(MINE, after=None, is_long_over=True) as listener:
        assert [event async for event in received(listener)] == [1, 2, 3, 4]
    assert listener.ending is Ending.DONE


async def test_a_store_that_is_away_is_waited_for(store: Stores, watched: WatchedEvents) -> None:
    hub = EventHub(store, QUICK)
    await happen(store, 3)
    await end(store)
    watched.failures = 5
    assert await all_of(hub) == [1, 2, 3, 4]


async def test_the_events_of_others_do_not_wake_a_listener(store: Stores, watched: WatchedEvents) -> None:
    hub = EventHub(store, QUICK)
    with hub.listener(MINE, after=None) as listener:
        waiting = asyncio.create_task(listener.frames(timeout_s=3600))
        before = watched.readings
        await happen(store, 3, OTHER)
        while watched.readings < before + 20:
            await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()


async def test_nobody_reads_when_nobody_listens(store: Stores, watched: WatchedEvents) -> None:
    hub = EventHub(store, QUICK)
    await happen(store, 1)
    with hub.listener(MINE, after=None) as listener:
        await taken(listener, 1)
    before = watched.readings
    await asyncio.sleep(QUICK.poll_s * 10)
    assert watched.readings == before
    with hub.listener(MINE, after=0) as listener:
        assert await taken(listener, 1) == [1]


async def test_closing_sends_everybody_away(store: Stores) -> None:
    hub = EventHub(store, QUICK)
    with hub.listener(MINE, after=None) as one, hub.listener(None, after=None) as two:
        hub.close()
        endings: Sequence[Ending | None] = (one.ending, two.ending)
    assert endings == (Ending.CUT_OFF, Ending.CUT_OFF)


async def test_a_bug_in_the_reader_ends_the_streams_instead_of_hanging_them() -> None:
    class Broken(SqlEventStore):
        async def page(self, run_id: RunId | None, *, after: int = 0, limit: int = 500) -> tuple[Event, ...]:
            _ = run_id, after, limit
            raise RuntimeError("a bug")

    hub = EventHub(replace(memory_stores(), events=Broken(MemoryDatabase())), QUICK)
    with hub.listener(MINE, after=None) as listener:
        assert await listener.frames(timeout_s=5) == b""
        assert listener.ending is Ending.CUT_OFF
