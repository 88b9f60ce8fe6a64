"""The WebSocket of the code harness."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from assay.api.app import close_streams, create_app
from assay.domain.run import RunId
from assay.engine.execution import control
from tests.integration.dataset_service import working
from tests.integration.harness import ALL, Harness
from tests.integration.serving import served
from tests.stores import memory_stores

ATTEMPT = {
    "type", "model", "task_id", "sample_index", "status", "duration_seconds", "prompt_tokens",
    "completion_tokens", "cost_usd", "error", "diff_rewrite_fallback_used", "provider",
    "thinking_level_applied", "thinking_level_requested",
}  # fmt: skip


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(memory_stores(), tmp_path)


@asynccontextmanager
async def session_of(harness: Harness) -> AsyncGenerator[aiohttp.ClientSession]:
    async with asyncio.timeout(60), served(create_app(harness.services)) as session:
        yield session


async def started(session: aiohttp.ClientSession, **changes: Any) -> str:
    async with session.post("/runs", json={"models": ["test/one"]} | changes) as reply:
        run_id: str = (await reply.json())["run_id"]
        return run_id


async def messages(socket: aiohttp.ClientWebSocketResponse) -> list[Any]:
    """All until the server closes."""
    return [message.json() async for message in socket]


def kinds(received: list[Any]) -> list[str]:
    return [message["type"] for message in received]


async def test_who_listens_from_the_start_gets_every_attempt(harness: Harness) -> None:
    async with session_of(harness) as session:
        run_id = await started(session, samples=2)
        async with session.ws_connect(f"/runs/{run_id}/stream") as socket:
            first = await socket.receive_json()
            assert (first["type"], first["run_id"]) == ("init", run_id)
            assert (first["metadata"]["tasks"], first["metadata"]["samples"]) == (list(ALL), 2)
            async with working(harness.services.engine):
                received = await messages(socket)
            assert socket.close_code == 1000
    assert kinds(received) == ["attempt"] * 8 + ["complete"]
    assert all(message.keys() == ATTEMPT for message in received[:-1])
    made = {(message["task_id"], message["sample_index"]) for message in received[:-1]}
    assert made == {(task, sample) for task in ALL for sample in range(2)}
    assert received[0] | {"duration_seconds": 0, "task_id": "", "sample_index": 0} == {
        "type": "attempt",
        "model": "test/one",
        "task_id": "",
        "sample_index": 0,
        "status": "passed",
        "duration_seconds": 0,
        "prompt_tokens": 10,
        "completion_tokens": 1,
        "cost_usd": None,
        "error": None,
        "diff_rewrite_fallback_used": False,
        "provider": None,
        "thinking_level_applied": None,
        "thinking_level_requested": None,
    }
    assert received[-1]["summary"]["status_counts"]["passed"] == 8


async def test_attempts_arrive_while_the_run_goes_on(harness: Harness) -> None:
    """The models are held until the first attempts have been received."""
    harness.hold("c", "d")
    async with session_of(harness) as session:
        run_id = await started(session)
        async with session.ws_connect(f"/runs/{run_id}/stream") as socket, working(harness.services.engine):
            early = [await socket.receive_json() for _ in range(3)]
            assert kinds(early) == ["init", "attempt", "attempt"]
            harness.release()
            assert kinds(await messages(socket)) == ["attempt", "attempt", "complete"]


async def test_who_comes_late_gets_the_same(harness: Harness) -> None:
    harness.silent_about |= {"b"}
    async with session_of(harness) as session:
        run_id = await started(session)
        async with working(harness.services.engine), session.ws_connect(f"/runs/{run_id}/stream") as socket:
            live = await messages(socket)
        async with session.ws_connect(f"/runs/{run_id}/stream") as socket:
            late = await messages(socket)
        assert kinds(late) == ["init", *["attempt"] * 4, "complete"]
        assert late[-1] == live[-1]
        assert sorted(map(str, late)) == sorted(map(str, live))
        statuses = {str(message["task_id"]): message["status"] for message in late[1:-1]}
        assert statuses == {"0": "passed", "1": "api_error", "2": "passed", "3": "passed"}


async def test_an_attempt_that_is_made_again_is_sent_again(harness: Harness) -> None:
    harness.silent_about |= {"b"}
    async with session_of(harness) as session:
        run_id = await started(session)
        await harness.executed(run_id)
        harness.silent_about.clear()
        async with session.post(f"/runs/{run_id}/retry-api-errors") as reply:
            assert reply.status == 200
        async with session.ws_connect(f"/runs/{run_id}/stream") as socket:
            before = [await socket.receive_json() for _ in range(5)]
            async with working(harness.services.engine):
                after = await messages(socket)
        assert [one["status"] for one in before[1:]].count("api_error") == 1
        assert kinds(after) == ["attempt", "complete"]
        assert (after[0]["task_id"], after[0]["status"]) == ("1", "passed")


@pytest.mark.parametrize("ending", ["failed", "canceled"])
async def test_a_run_without_a_result_ends_with_an_error(harness: Harness, ending: str) -> None:
    async with session_of(harness) as session:
        run_id = await started(session)
        if ending == "failed":
            harness.silent_about |= {"a", "b", "c", "d"}
            await harness.executed(run_id)
        else:
            await control.cancel(harness.services.engine.lifecycle, RunId(run_id))
        async with session.ws_connect(f"/runs/{run_id}/stream") as socket:
            received = await messages(socket)
        made = 4 if ending == "failed" else 0
        assert kinds(received) == ["init", *["attempt"] * made, "error"]
        expected = "no attempt has a verdict" if ending == "failed" else "the run was canceled"
        assert expected in received[-1]["message"]


@pytest.mark.parametrize("run_id", ["nobody", "a.b", "a%20b"])
async def test_an_unknown_run_closes_with_a_code_of_its_own(harness: Harness, run_id: str) -> None:
    async with session_of(harness) as session, session.ws_connect(f"/runs/{run_id}/stream") as socket:
        assert await messages(socket) == []
        assert socket.close_code == 4404


async def test_a_server_that_stops_says_so(harness: Harness) -> None:
    app = create_app(harness.services)
    async with asyncio.timeout(60), served(app) as session:
        run_id = await started(session)
        async with session.ws_connect(f"/runs/{run_id}/stream") as socket:
            assert (await socket.receive_json())["type"] == "init"
            close_streams(app)
            assert await messages(socket) == []
            assert socket.close_code == 1012


async def test_the_stream_is_for_those_who_are_known(harness: Harness) -> None:
    harness.services = replace(harness.services, needs_identity=True)
    async with session_of(harness) as session:
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect("/runs/any/stream")
