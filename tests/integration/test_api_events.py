"""Server-sent events over a real connection: the contract's form, resuming, keep-alives, the end."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import pytest
from fastapi import FastAPI

from assay.api.app import close_streams, create_app
from assay.api.events.event_hub import HubOptions
from assay.domain.event import Event, EventType
from assay.domain.run import Run, RunId, RunSpec, State
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.stores import Stores
from tests.builders import NOON, World
from tests.integration.serving import served, services
from tests.stores import memory_stores

QUICK = HubOptions(poll_s=0.005, settle_s=0.05)
RUN = RunId("00000001-run")
PATH = f"/api/runs/{RUN}/events"


@dataclass(frozen=True)
class Sent:
    """One server-sent event as a browser takes it apart."""

    id: str | None
    name: str | None
    data: Any


async def stream(response: aiohttp.ClientResponse) -> AsyncIterator[Sent]:
    fields: dict[str, str] = {}
    async for line in response.content:
        text = line.decode().rstrip("\n")
        if text:
            name, _, value = text.partition(": ")
            fields[name] = value
        elif "data" in fields:
            yield Sent(fields.get("id"), fields.get("event"), json.loads(fields["data"]))
            fields = {}


async def got(client: aiohttp.ClientSession, path: str = PATH, **options: Any) -> list[Sent]:
    async with client.get(path, **options) as response:
        assert response.status == 200
        return [sent async for sent in stream(response)]


@pytest.fixture
async def store() -> Stores:
    store = memory_stores()
    run = Run(RUN, RunSpec(("sim/good",), ("letters",)), NOON)
    await store.runs.add(run, [], [Event(RUN, EventType.RUN_CREATED, NOON)])
    return store


@pytest.fixture
def app(store: Stores) -> FastAPI:
    return create_app(services(store), hub=QUICK)


async def happen(store: Stores, count: int) -> None:
    await store.events.add(
        [
            Event(
                RUN,
                EventType.BENCHMARK_PROGRESS,
                NOON,
                "half \ud83d",
                "letters",
                "sim/good",
                {"completed": n},
            )
            for n in range(count)
        ]
    )


async def end(store: Stores) -> None:
    await store.runs.set_state(RUN, State.RUNNING, at=NOON)
    await store.runs.set_state(RUN, State.CANCELED, at=NOON)
    await store.events.add([Event(RUN, EventType.RUN_CANCELED, NOON)])


async def test_events_have_the_form_of_the_contract(store: Stores, app: FastAPI) -> None:
    await happen(store, 1)
    await end(store)
    async with served(app) as client, client.get(PATH) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["x-accel-buffering"] == "no"
        assert "content-length" not in response.headers
        text = (await response.read()).decode()
    blocks = text.strip().split("\n\n")
    assert [line.partition(":")[0] for line in blocks[1].splitlines()] == ["id", "data"]
    assert json.loads(blocks[1].partition("data: ")[2]) == {
        "id": "2",
        "event_type": "benchmark_progress",
        "benchmark_name": "letters",
        "message": "half �",
        "data": {"completed": 0},
        "created_at": "2026-01-02T12:00:00Z",
        "run_id": RUN,
        "model": "sim/good",
    }
    assert blocks[-1] == "event: done\ndata: {}"


@pytest.mark.parametrize("way", ["header", "query"])
async def test_a_listener_that_lost_its_connection_misses_nothing(
    store: Stores, app: FastAPI, way: str
) -> None:
    await happen(store, 5)
    async with served(app) as client:
        async with client.get(PATH) as response:
            seen: list[Sent] = []
            async for sent in stream(response):
                seen.append(sent)
                if len(seen) == 3:
                    break
        await happen(store, 5)
        await end(store)
        last = str(seen[-1].id)
        resume: dict[str, Any] = (
            # The query is that of the page's first connection, and older.
            {"headers": {"Last-Event-ID": last}, "params": {"Last-Event-ID": "1"}}
            if way == "header"
            else {"params": {"Last-Event-ID": last}}
        )
        seen += await got(client, **resume)
    assert [sent.id for sent in seen] == [*map(str, range(1, 13)), None]
    assert (seen[-1].name, seen[-1].data) == ("done", {})


async def test_a_live_run_is_told_from_its_creation_to_its_end() -> None:
    world = World()
    wired = replace(services(world.store), engine=world.engine)
    spec = RunSpec(("test/scripted",), ("letters",), data="demo")
    async with served(create_app(wired, hub=QUICK)) as client:
        run = await create_run(world.engine, spec)
        listening = asyncio.create_task(got(client, f"/api/runs/{run.id[:8]}/events"))
        await execute_run(world.engine, run.id)
        types = [sent.data.get("event_type", "done") for sent in await listening]
    assert types == [
        "run_created",
        "run_started",
        "benchmark_started",
        "benchmark_progress",
        "benchmark_completed",
        "run_completed",
        "done",
    ]


async def test_silence_is_filled_with_comments(store: Stores) -> None:
    app = create_app(services(store), hub=replace(QUICK, keep_alive_s=0.01))
    async with served(app) as client, client.get(PATH) as response:
        lines = [await response.content.readline() for _ in range(6)]
    assert lines[3:] == [b": keep-alive\n", b"\n", b": keep-alive\n"]


async def test_one_stream_tells_of_all_runs_and_does_not_end(store: Stores, app: FastAPI) -> None:
    other = Run(RunId("00000002-run"), RunSpec(("sim/weak",), ("letters",)), NOON)
    async with served(app) as client, client.get("/api/events", params={"Last-Event-ID": "1"}) as response:
        await end(store)
        await store.runs.add(other, [], [Event(other.id, EventType.RUN_CREATED, NOON)])
        sent = stream(response)
        found = [(await anext(sent)).data for _ in range(2)]
        assert [(one["run_id"], one["event_type"]) for one in found] == [
            (RUN, "run_canceled"),
            (other.id, "run_created"),
        ]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(QUICK.settle_s * 4):
                await anext(sent)


async def test_fifty_connections_get_the_same(store: Stores, app: FastAPI) -> None:
    async with served(app) as client:
        listening = [asyncio.create_task(got(client)) for _ in range(50)]
        for _ in range(5):
            await happen(store, 3)
            await asyncio.sleep(0)
        await end(store)
        everything = await asyncio.gather(*listening)
    assert {tuple(sent.id for sent in seen) for seen in everything} == {(*map(str, range(1, 18)), None)}


async def test_a_client_that_goes_away_is_forgotten(store: Stores, app: FastAPI) -> None:
    hub = app.state.events
    async with served(app) as client:
        async with client.get(PATH) as response:
            await anext(stream(response))
            assert len(hub._live) == 1
        async with asyncio.timeout(60):
            while hub._live:
                await asyncio.sleep(0)
        assert hub._task is None


async def test_closing_the_streams_lets_clients_resume(store: Stores, app: FastAPI) -> None:
    await happen(store, 1)
    async with served(app) as client, client.get(PATH) as response:
        sent = stream(response)
        assert [(await anext(sent)).id, (await anext(sent)).id] == ["1", "2"]
        close_streams(app)
        assert [one async for one in sent] == [], "no `done`: the run is not over"


@pytest.mark.parametrize(
    ("path", "last", "status"),
    [
        (PATH, "x", 422),
        (PATH, "-1", 422),
        ("/api/events", "1.5", 422),
        ("/api/runs/nothing-here/events", "0", 404),
    ],
)
async def test_what_cannot_be_followed_is_a_problem(app: FastAPI, path: str, last: str, status: int) -> None:
    async with served(app) as client, client.get(path, headers={"Last-Event-ID": last}) as response:
        assert response.status == status
        assert response.headers["content-type"] == "application/problem+json"
