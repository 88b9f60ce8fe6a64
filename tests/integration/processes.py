"""Real `assay` processes that are waited for beside others, and the containers that they have."""

import asyncio

from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.domain.calls.messages import Json
from tests.docker_engine import DockerEngine
from tests.integration.cli import Assay


async def process(assay: Assay, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *assay.command(arguments),
        env=assay.environment(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def running(engine: DockerEngine) -> list[Json]:
    async with EngineApi(engine.socket_path) as api:
        listed = (await api.call("GET", "/containers/json")).get("items")
    assert isinstance(listed, list)
    return listed
