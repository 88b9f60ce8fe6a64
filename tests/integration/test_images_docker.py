"""Images in an engine of the tests' own: fetched from a registry, and removed where room is short."""

import asyncio
import io
import tarfile
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from assay.adapters.sandbox.docker import images as module
from assay.adapters.sandbox.docker.containers import ContainerOptions, DockerContainers
from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.images import Images
from assay.domain.errors import SandboxError
from assay.domain.programs.containers import ContainerSpec
from assay.domain.programs.sandbox import Status
from tests.docker_engine import DockerEngine
from tests.integration.registry_server import NAME, running_registry

# One loop for all: the connection lives as long as the engine.
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def api(engine: DockerEngine) -> AsyncGenerator[EngineApi]:
    async with EngineApi(engine.socket_path) as api:
        yield api


async def exists(api: EngineApi, image: str) -> bool:
    try:
        await api.call("GET", f"/images/{image}/json")
    except SandboxError as error:
        if ": 404 " in error.message:
            return False
        raise
    return True


async def test_an_image_is_fetched_once_with_progress_and_removed_by_our_names_alone(api: EngineApi) -> None:
    async with running_registry() as registry:
        image = f"{registry}/{NAME}"
        said: list[str] = []
        fetched = await Images(api, budget_bytes=1 << 40).pulled(image, said.append)
        assert any("Downloading" in one or "Download complete" in one for one in said)
        assert any("Pull complete" in one for one in said)
        again: list[str] = []
        assert await Images(api, budget_bytes=1 << 40).pulled(image, again.append) == fetched
        assert again == []
    await Images(api, budget_bytes=1 << 40).prune()
    assert await exists(api, image), "there is room for it"
    await api.call("POST", f"/images/{image}/tag", params={"repo": "somebodys", "tag": "1"})
    await Images(api, budget_bytes=0).prune()
    assert not await exists(api, image)
    assert await exists(api, "somebodys:1"), "the name that a user gave it"
    await Images(api, budget_bytes=0).prune()
    assert await exists(api, "somebodys:1")
    await api.call("DELETE", "/images/somebodys:1")
    assert not await exists(api, fetched)


async def test_an_image_that_was_there_before_is_never_removed(api: EngineApi, engine: DockerEngine) -> None:
    await Images(api, budget_bytes=0).pulled(engine.image, None)
    await Images(api, budget_bytes=0).prune()
    assert await exists(api, engine.image)


async def test_an_image_in_use_or_just_handed_out_stays_ours(
    api: EngineApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo("file")
        entry.size = 10_000
        archive.addfile(entry, io.BytesIO(bytes(10_000)))
    changes = {"changes": "LABEL assay.image=task"}
    params = {"fromSrc": "-", "repo": "assay-task", "tag": "1"} | changes
    await api.send("POST", "/images/create", buffer.getvalue(), params=params)
    images = Images(api, budget_bytes=0)
    await images.pulled("assay-task:1", None)
    await images.prune()
    assert await exists(api, "assay-task:1"), "somebody waits for a place to start it"
    monkeypatch.setattr(module, "_HANDED_OUT_S", 0.0)
    made = await api.call(
        "POST", "/containers/create", params={"name": "user"}, body={"Image": "assay-task:1", "Cmd": ["x"]}
    )
    await images.prune()
    assert await exists(api, "assay-task:1"), "a container needs it"
    await api.remove(str(made["Id"]))
    await images.prune()
    assert not await exists(api, "assay-task:1")


async def test_what_else_ends_a_container_is_no_result_of_its_programs(
    engine: DockerEngine, api: EngineApi
) -> None:
    containers = DockerContainers(ContainerOptions(engine.socket_path))
    container = await containers.open(ContainerSpec(engine.image))
    listed = (await api.call("GET", "/containers/json"))["items"]
    assert isinstance(listed, list)
    assert isinstance(listed[0], dict)
    await api.remove(str(listed[0]["Id"]))
    with pytest.raises(SandboxError, match="No such container"):
        await container.exec(["true"], wall_s=20)
    await container.close()
    await containers.close()


async def test_an_engine_that_is_started_again_is_no_result_either(engine: DockerEngine) -> None:
    containers = DockerContainers(ContainerOptions(engine.socket_path))
    container = await containers.open(ContainerSpec(engine.image))
    own = await containers.open(ContainerSpec(engine.image))
    await own.exec(["sh", "-c", "kill -9 -1"], wall_s=20)
    assert (await own.exec(["true"], wall_s=20)).status is Status.SIGNAL
    await own.close()
    await asyncio.to_thread(engine.restart)
    with pytest.raises(SandboxError, match="started again"):
        await container.exec(["true"], wall_s=20)
    await container.close()
    await containers.close()


async def test_opening_that_is_broken_off_leaves_nothing(engine: DockerEngine, api: EngineApi) -> None:
    containers = DockerContainers(ContainerOptions(engine.socket_path, slots=1))
    for after_s in (0.0, 0.01, 0.05, 0.1, 0.2, 0.4):
        opening = asyncio.create_task(containers.open(ContainerSpec(engine.image)))
        await asyncio.sleep(after_s)
        opening.cancel()
        for container in await asyncio.gather(opening, return_exceptions=True):
            if not isinstance(container, BaseException):
                await container.close()
    async with asyncio.timeout(30):
        while (await api.call("GET", "/containers/json", params={"all": "true"}))["items"]:
            await asyncio.sleep(0.1)
    async with await containers.open(ContainerSpec(engine.image)) as container:
        assert (await container.exec(["true"], wall_s=20)).status is Status.OK, "its place is free again"
    await containers.close()
