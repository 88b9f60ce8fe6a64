"""The contract of the run store: events that a listener can resume from."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from assay.domain.errors import StoreError
from assay.domain.event import Event, EventType
from assay.domain.run import RunId
from assay.engine.stores import Stores
from tests.builders import NOON, Seeded
from tests.contracts.conftest import OpenStores

RUN = Seeded().run
CREATED = Event(RUN.id, EventType.RUN_CREATED, NOON)


def progress(message: str, *, run_id: RunId = RUN.id) -> Event:
    return Event(run_id, EventType.BENCHMARK_PROGRESS, NOON, message)


def without_id(event: Event) -> Event:
    return replace(event, id=None)


async def test_events_come_with_their_run_in_their_order(store: Stores) -> None:
    full = Event(
        RUN.id,
        EventType.BENCHMARK_FAILED,
        NOON,
        "NUL \x00",
        "letters",
        "sim/good",
        {"done": 1, "of": [2, None]},
    )
    await store.runs.add(RUN, [], [CREATED, full])
    found = await store.events.page(RUN.id)
    assert [without_id(event) for event in found] == [CREATED, full]


async def test_ids_grow(store: Stores) -> None:
    await store.runs.add(RUN, [], [CREATED])
    for batch in (["a"], [], ["b", "c", "d"], ["e"]):
        await store.events.add([progress(message) for message in batch])
    found = await store.events.page(RUN.id)
    assert [event.message for event in found] == ["", "a", "b", "c", "d", "e"]
    ids = [event.id or 0 for event in found]
    assert ids[0] > 0
    assert sorted(set(ids)) == ids


async def test_the_newest_id_is_that_of_any_run(store: Stores) -> None:
    assert await store.events.newest_id() == 0
    other = replace(RUN, id=RunId("other"))
    await store.runs.add(RUN, [], [CREATED])
    await store.runs.add(other, [], [progress("newest", run_id=other.id)])
    (newest,) = await store.events.page(other.id)
    assert await store.events.newest_id() == newest.id


async def test_a_listener_resumes_after_the_last_id_it_saw(store: Stores) -> None:
    await store.runs.add(RUN, [], [progress(str(number)) for number in range(5)])
    ids = [event.id or 0 for event in await store.events.page(RUN.id)]
    assert [event.message for event in await store.events.page(RUN.id, after=ids[1], limit=2)] == [
        "2",
        "3",
    ]
    assert await store.events.page(RUN.id, after=ids[-1]) == ()


async def test_events_of_one_run_and_of_all(store: Stores) -> None:
    other = replace(RUN, id=RunId("other"))
    await store.runs.add(RUN, [], [progress("a")])
    await store.runs.add(other, [], [progress("b", run_id=other.id)])
    await store.events.add([progress("c"), progress("d", run_id=other.id)])
    assert [event.message for event in await store.events.page(RUN.id)] == ["a", "c"]
    assert [event.message for event in await store.events.page(None)] == ["a", "b", "c", "d"]
    assert await store.events.page(RunId("unknown")) == ()


async def test_an_event_of_an_unknown_run_refuses_the_batch(store: Stores) -> None:
    await store.runs.add(RUN, [], [])
    with pytest.raises(StoreError):
        await store.events.add([CREATED, progress("x", run_id=RunId("unknown"))])
    assert await store.events.page(None) == ()


async def test_a_listener_misses_nothing_while_many_write(store: Stores, reopen: OpenStores) -> None:
    await store.runs.add(RUN, [], [])
    writers = [await reopen() for _ in range(3)]
    seen: list[Event] = []

    def size(number: int, batch: int) -> int:
        return 1 + (batch * 7 + number) % 5

    async def write(number: int, writer: Stores) -> None:
        for batch in range(20):
            messages = (f"{number}-{batch}-{each}" for each in range(size(number, batch)))
            await writer.events.add([progress(message) for message in messages])

    async def listen(writing: asyncio.Future[list[None]]) -> None:
        is_last_look = False
        while not is_last_look:
            await asyncio.sleep(0)
            is_last_look = writing.done()
            seen.extend(await store.events.page(None, after=(seen[-1].id or 0) if seen else 0))

    writing = asyncio.gather(*(write(number, each) for number, each in enumerate(writers * 2)))
    await listen(writing)
    await writing
    expected = [
        f"{number}-{batch}-{each}"
        for number in range(6)
        for batch in range(20)
        for each in range(size(number, batch))
    ]
    assert sorted(event.message for event in seen) == sorted(expected)


async def test_the_newest_moment_of_each_run_is_known(store: Stores) -> None:
    other, silent = (replace(RUN, id=RunId(f"{number}" * 8)) for number in "34")
    later = replace(progress("later"), created_at=NOON + timedelta(minutes=5))
    await store.runs.add(RUN, [], [CREATED, later])
    await store.runs.add(other, [], [progress("other", run_id=other.id)])
    await store.runs.add(silent, [], [])
    found = await store.events.newest_moments([RUN.id, other.id, silent.id])
    assert found == {RUN.id: later.created_at, other.id: NOON}
    assert await store.events.newest_moments([silent.id]) == {}
