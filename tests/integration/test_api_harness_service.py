"""The code harness of a real service: its own database, worker and sandbox, and a task of the catalogue."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.integration.cli import Assay
from tests.integration.test_up import up

TASK = "python_bugfix_interval_overlap"


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


async def finished(session: aiohttp.ClientSession, **request: Any) -> dict[str, Any]:
    """The summary of a run of the task, as the last message of its stream has it."""
    async with session.post("/runs", json={"tasks": [TASK]} | request) as reply:
        assert reply.status == 200, await reply.text()
        run_id = (await reply.json())["run_id"]
    async with session.ws_connect(f"/runs/{run_id}/stream") as socket:
        received = [message.json() async for message in socket]
    assert [one["type"] for one in received] == ["init", *["attempt"] * (len(received) - 2), "complete"]
    found: dict[str, Any] = received[-1]["summary"]
    return found


async def text(session: aiohttp.ClientSession, path: str) -> str:
    async with session.get(path) as reply:
        assert reply.status == 200, await reply.text()
        return await reply.text()


async def test_a_task_is_solved_watched_and_ranked(assay: Assay) -> None:
    with up(assay) as (_, address):
        async with asyncio.timeout(120), aiohttp.ClientSession(address) as session:
            found = await finished(session, models=["sim/oracle", "sim/null"], include_tests=True)
            assert found["include_tests"] is True
            by_model = {one["model"]: one for one in found["attempts"]}
            assert {name: one["status"] for name, one in by_model.items()} == {
                "sim/oracle": "passed",
                "sim/null": "error",
            }
            solved = f"/artifacts/{found['run_id']}/{by_model['sim/oracle']['attempt_dir']}"
            assert "intervals.py" in await text(session, f"{solved}/prompt.txt")
            assert "intervals.py" in await text(session, f"{solved}/response.txt")
            await text(session, f"{solved}/stdout.log")
            async with session.get("/leaderboard") as reply:
                board = await reply.json()
            # A run of one task is on a board of its own.
            [part] = [one for one in board["boards"] if one["tasks"] == 1]
            assert [(one["model_id"], one["best_accuracy"]) for one in part["models"]] == [
                ("sim/oracle", 1.0),
                ("sim/null", 0.0),
            ]


async def test_a_given_reply_is_graded_and_not_ranked(assay: Assay) -> None:
    with up(assay) as (_, address):
        async with asyncio.timeout(120), aiohttp.ClientSession(address) as session:
            found = await finished(session, models=["vendor/model"], response_text="I do not know.")
            [attempt] = found["attempts"]
            assert attempt["status"] == "error"
            assert attempt["model"].startswith("replay/vendor/model:")
            files = f"/artifacts/{found['run_id']}/{attempt['attempt_dir']}"
            assert await text(session, f"{files}/response.txt") == "I do not know."
            async with session.get("/leaderboard") as reply:
                [board] = (await reply.json())["boards"]
            assert (board["models"], board["unranked"][0]["reason"]) == (
                [],
                "its replies were read from a file",
            )
