"""What is said of an engine that cannot be used, and how little one bad container spoils."""

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from assay.adapters.sandbox.docker.backend import absent_socket, engine_socket
from assay.adapters.sandbox.docker.engine_api import EngineApi, EngineAwayError
from assay.adapters.sandbox.docker.image_progress import ImageProgress
from assay.adapters.sandbox.docker.orphans import LABEL, owner, remove_orphans
from assay.adapters.sandbox.docker.starts import Starts
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError


@asynccontextmanager
async def engine(socket: Path, *routes: web.RouteDef) -> AsyncGenerator[EngineApi]:
    app = web.Application()
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.UnixSite(runner, str(socket)).start()
    async with EngineApi(str(socket)) as api:
        yield api
    await runner.cleanup()


async def test_a_container_that_cannot_be_removed_keeps_nobody_from_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    namespace = owner().partition("/")[0]
    gone = {"Labels": {LABEL: f"{namespace}/1/0"}}
    removed: list[str] = []

    async def containers(request: web.Request) -> web.Response:
        wanted = json.loads(request.query["filters"])
        assert wanted == {"label": [LABEL]}
        own = {"Id": "own", "Labels": {LABEL: owner()}}
        return web.json_response([{"Id": "stuck", **gone}, own, {"Id": "other", **gone}])

    async def remove(request: web.Request) -> web.Response:
        removed.append(request.match_info["id"])
        is_stuck = removed[-1] == "stuck"
        return web.json_response({"message": "device or resource busy"}, status=500 if is_stuck else 200)

    routes = web.get("/containers/json", containers), web.delete("/containers/{id}", remove)
    async with engine(tmp_path / "s", *routes) as api:
        await remove_orphans(api)
    assert removed == ["stuck", "other"]
    assert "device or resource busy" in caplog.text


async def test_an_engine_that_sends_nonsense_is_an_error(tmp_path: Path) -> None:
    async def nonsense(request: web.Request) -> web.Response:
        del request
        return web.Response(text="{cut")

    async with engine(tmp_path / "s", web.get("/version", nonsense)) as api:
        with pytest.raises(SandboxError, match="no JSON"):
            await api.detect_kind()
        with pytest.raises(SandboxError, match="refused POST /nowhere: 404"):
            await api.attached("/nowhere", {})


async def test_what_to_do_depends_on_why_the_engine_is_out_of_reach(tmp_path: Path) -> None:
    refused = EngineAwayError("/s", PermissionError(13, "Permission denied"))
    reason, _, remedy = refused.message.partition("; ")
    assert reason == "this user may not use the container engine at '/s'"
    assert remedy.startswith("add the user to the group docker")
    async with EngineApi(str(tmp_path / "none")) as api:
        with pytest.raises(EngineAwayError, match=r"does not answer.*; start Docker or Podman"):
            await api.call("GET", "/version")


def test_a_socket_that_is_none_is_told_apart_from_one_that_is_not_there(tmp_path: Path) -> None:
    reason, remedy = absent_socket("tcp://10.0.0.1:2375") or ("", "")
    assert "only an engine on a unix socket" in reason
    assert remedy.startswith("name one as unix:///path")
    reason, remedy = absent_socket(str(tmp_path / "none")) or ("", "")
    assert "no container engine listens" in reason
    assert "DOCKER_HOST" in remedy
    assert absent_socket(str(tmp_path)) is None


def test_a_socket_that_this_user_may_use_goes_before_dockers(monkeypatch: pytest.MonkeyPatch) -> None:
    docker, podman = "/var/run/docker.sock", f"/run/user/{os.getuid()}/podman/podman.sock"

    def exists(path: Path) -> bool:
        return str(path) in (docker, podman)

    monkeypatch.setattr(Path, "exists", exists)
    usable = {podman}

    def access(path: str, mode: int) -> bool:
        return mode == os.R_OK | os.W_OK and path in usable

    monkeypatch.setattr(os, "access", access)
    assert engine_socket(None) == podman
    usable.clear()
    assert engine_socket(None) == docker
    assert engine_socket("unix:///other") == "/other"


def test_the_log_says_how_far_a_long_fetch_is(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    progress = ImageProgress("fetching the image 'x'", every_s=0.0)
    progress.add({"status": "Pulling from x"})
    for layer, done, total in (("a", 1, 3), ("b", 0, 1)):
        detail: Json = {"current": done << 20, "total": total << 20}
        progress.add({"status": "Downloading", "id": layer, "progressDetail": detail})
    progress.add({"status": "Download complete", "id": "a", "progressDetail": {}})
    progress.add({"status": "Downloading", "id": "c", "progressDetail": {"current": "?", "total": None}})
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
        "waiting for the engine", "1 of 3 MiB", "1 of 4 MiB", "3 of 4 MiB", "3 of 4 MiB",
    ]  # fmt: skip
    caplog.clear()
    ImageProgress("building", every_s=60.0).add({"stream": "Step 1/2 : FROM x\n"})
    assert caplog.records == [], "what is done soon needs no word"


async def test_programs_are_started_a_few_at_a_time_and_a_long_one_holds_nobody_up() -> None:
    starts, under_way, most = Starts(2), 0, 0

    async def brief() -> None:
        nonlocal under_way, most
        async with starts.one():
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0)
            under_way -= 1

    async def endless() -> None:
        async with starts.one():
            await asyncio.Event().wait()

    await asyncio.gather(*(brief() for _ in range(20)))
    assert most == 2
    running = [asyncio.create_task(endless()) for _ in range(3)]
    async with asyncio.timeout(20):
        await brief()
    for one in running:
        one.cancel()
    await asyncio.gather(*running, return_exceptions=True)
