"""The whole way over a database: start, follow, pause, resume, read, compare."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.store.stores import open_stores
from assay.api.app import create_app
from assay.api.events.event_hub import HubOptions
from assay.domain.shard import ShardId
from assay.engine.clock import SystemClock
from assay.engine.execution.engine import Engine
from assay.engine.execution.queue import WorkerConfig
from assay.engine.execution.shards import ShardExecutor
from assay.engine.planning.catalogue import Catalogue
from assay.engine.stores import Stores
from tests.builders import LetterBenchmark, World, rewired
from tests.integration.serving import served, services
from tests.integration.test_api_events import stream

GOOD, WEAK = "sim/good?delay_ms=5", "sim/weak?delay_ms=5"
ASKED = {
    "models": [GOOD, WEAK],
    "selected_benchmarks": ["letters"],
    "config": {"data": "demo", "max_connections": 4},
}


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Stores]:
    store = await open_stores(f"sqlite:///{tmp_path / 'assay.db'}")
    yield store
    await store.close()


@asynccontextmanager
async def working(engine: Engine) -> AsyncGenerator[ShardExecutor]:
    """A worker of this process."""
    executor = ShardExecutor(engine)

    async def never(shard_id: ShardId, error: Exception) -> None:
        raise AssertionError(shard_id) from error

    work = asyncio.create_task(engine.queue.work(WorkerConfig(executor.execute, never, slots=2)))
    yield executor
    await engine.queue.drain(grace_s=0)
    await work
    await executor.close()


async def sent(client: aiohttp.ClientSession, method: str, path: str, **options: Any) -> Any:
    async with client.request(method, path, **options) as response:
        assert response.ok, await response.text()
        return await response.json()


async def test_a_run_over_its_whole_life(store: Stores) -> None:
    directory = HttpModelDirectory({})
    catalogue = Catalogue({"letters": LetterBenchmark(size=200)})
    world = World()
    engine = rewired(world.engine, stores=store, catalogue=catalogue, models=directory, clock=SystemClock())
    wired = replace(services(world.store), engine=engine)
    app = create_app(wired, hub=HubOptions(poll_s=0.01, settle_s=0.2))
    async with working(engine), served(app) as client:
        run_id = (await sent(client, "POST", "/api/runs", json=ASKED))["id"]
        async with client.get(f"/api/runs/{run_id}/events") as response:
            events = stream(response)
            types = [(await anext(events)).data["event_type"] for _ in range(3)]
            assert types[:2] == ["run_created", "run_started"]
            paused = await sent(client, "POST", f"/api/runs/{run_id}/pause")
            assert paused["status"] == "paused"
            assert 0 < paused["progress"]["total"] == 400
            await sent(client, "PATCH", f"/api/runs/{run_id}", json={"max_connections": 16})
            await sent(client, "POST", f"/api/runs/{run_id}/resume")
            seen = [one async for one in events]
        assert seen[-1].name == "done"
        assert seen[-2].data["event_type"] == "run_completed"
        ids = [int(one.id) for one in seen if one.id]
        assert ids == sorted(set(ids))

        await look_at(client, run_id)


async def look_at(client: aiohttp.ClientSession, run_id: str) -> None:
    """Read a finished run in every way there is."""
    run = await sent(client, "GET", f"/api/runs/{run_id[:8]}")
    assert (run["status"], run["progress"]["completed"]) == ("succeeded", 400)
    page = await sent(
        client,
        "GET",
        f"/api/runs/{run_id}/benchmarks/letters",
        params={"model": WEAK, "outcome": "incorrect", "limit": "5", "sort": "-duration"},
    )
    item = page["items"]["items"][0]
    assert page["items"]["total"] == page["summary"]["incorrect"] > 5
    detail = await sent(
        client,
        "GET",
        f"/api/runs/{run_id}/benchmarks/letters/items/{item['item_id']}",
        params={"model": WEAK},
    )
    assert detail["attempts"][0]["calls"][0]["status"] == 200
    compared = await sent(client, "GET", "/api/compare", params={"run": run_id, "items": "disagree"})
    assert compared["comparisons"][0]["statistics"]["verdict"] == "better"
    assert compared["items"]["total"] > 0
    board = await sent(client, "GET", "/api/leaderboard", params={"benchmark": "letters"})
    assert [row["rank"] for row in board["tables"][0]["rows"]] == [1, 2]
    overview = await sent(client, "GET", "/api/ops/overview")
    assert overview["completed_runs"][0]["id"] == run_id
    assert overview["token_stats"]["last_24h"]["input_tokens"] > 0
    async with client.get("/metrics") as response:
        assert 'assay_runs{state="succeeded"} 1.0' in await response.text()
    async with client.post(f"/api/runs/{run_id}/cancel") as refused:
        assert refused.status == 400
