"""Containers of tasks, in an engine of the tests' own: used directly and through a remote sandbox service."""

import asyncio
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
import pytest_asyncio

from assay.adapters.sandbox.docker.containers import ContainerOptions, DockerContainers
from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.images import Images
from assay.adapters.sandbox.sandy.backend import SandyOptions
from assay.adapters.sandbox.sandy.containers import SandyContainers
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.programs.containers import (
    Build,
    Container,
    ContainerLimits,
    Containers,
    ContainerSpec,
    PlacedFile,
)
from assay.domain.programs.sandbox import MIB, Limit, Status
from tests.conftest import absent
from tests.docker_engine import DockerEngine
from tests.integration.sandy_server import KEY, running_service

# One loop for all: the connection lives as long as the engine.
pytestmark = pytest.mark.asyncio(loop_scope="module")
LIMITS = ContainerLimits(memory_bytes=256 * MIB, processes=32, disk_bytes=16 * MIB)
DOCKERFILE = "FROM assay-demo-base:1\nCOPY given.txt /app/\nRUN cat /app/given.txt > /app/built.txt\n"


@pytest.fixture(scope="module")
def service(engine: DockerEngine) -> Generator[str]:
    if shutil.which("bwrap") is None:
        absent("bwrap is not installed")
    with running_service(engine.socket_path) as address:
        yield address


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["docker", "sandy"])
async def containers(
    request: pytest.FixtureRequest, engine: DockerEngine, service: str
) -> AsyncGenerator[Containers]:
    if request.param == "docker":
        containers = DockerContainers(ContainerOptions(engine.socket_path))
    else:
        containers = SandyContainers(SandyOptions(service, KEY, retry_delay_s=0.01))
    yield containers
    await containers.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("task")
    (folder / "Dockerfile").write_text(DOCKERFILE)
    (folder / "given.txt").write_text("given\n")
    (folder / "tests").mkdir()
    (folder / "tests" / "secret.txt").write_text("expected")
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def image(containers: Containers, folder: Path) -> str:
    return await containers.built(build(folder))


def build(folder: Path) -> Build:
    return Build(folder, excluded=frozenset({"tests"}), network="none")


@pytest_asyncio.fixture(loop_scope="module")
async def container(containers: Containers, image: str) -> AsyncGenerator[Container]:
    async with await containers.open(ContainerSpec(image, limits=LIMITS, hostname="demo")) as container:
        yield container


async def names(engine: DockerEngine, *, running: bool = False) -> list[str]:
    async with EngineApi(engine.socket_path) as api:
        listed = (await api.call("GET", "/containers/json", params={"all": str(not running).lower()})).get(
            "items"
        )
    assert isinstance(listed, list)
    return [str(one["Id"]) for one in listed if isinstance(one, dict)]


async def shell(container: Container, script: str, wall_s: float = 60) -> tuple[Status, str]:
    result = await container.exec(["bash", "-c", script], wall_s=wall_s)
    return result.status, (result.stdout + result.stderr).decode()


async def test_an_image_is_built_once_from_the_folder_without_what_is_hidden(
    containers: Containers, container: Container, image: str, folder: Path
) -> None:
    said: list[str] = []
    assert await containers.built(build(folder), progress=said.append) == image
    assert said == [], "the second time nothing is built"
    _, listed = await shell(container, "cat /app/built.txt /etc/hostname; find / -xdev -name 'secret.txt'")
    assert listed == "given\ndemo\n"
    (folder / "broken").mkdir(exist_ok=True)
    (folder / "broken" / "Dockerfile").write_text("FROM assay-demo-base:1\nRUN exit 3\n")
    with pytest.raises(SandboxError, match="code: 3"):
        await containers.built(Build(folder / "broken", network="none"))


async def test_files_go_in_and_come_out_and_links_do_not(container: Container) -> None:
    await container.put(
        "/tests",
        {"run.sh": PlacedFile(b"#!/bin/bash\ncat", is_executable=True), "a/b.bin": PlacedFile(b"\0\xff")},
    )
    result = await container.exec(["/tests/run.sh"], wall_s=60, stdin=b"in\0")
    assert (result.status, result.stdout) == (Status.OK, b"in\0")
    await shell(
        container,
        "ln -s /etc/passwd /tests/link; ln /tests/run.sh /tests/twin; head -c 99999 /dev/zero > /tests/big",
    )
    found = await container.get("/tests", max_bytes=1000)
    assert found.keys() - {"run.sh", "twin"} == {"a/b.bin"}
    assert await container.get("/nowhere") == {}
    assert await shell(container, "exit 3") == (Status.NONZERO, "")


async def test_it_has_neither_network_nor_the_socket_nor_files_of_this_machine(container: Container) -> None:
    assert Limit.NETWORK in container.confinement.enforced
    _, said = await shell(
        container, "ls /sys/class/net; find / -name '*.sock' -not -path '/proc/*'; ls /work /home"
    )
    assert "eth" not in said
    assert "docker" not in said
    assert "No such file" in said


async def test_a_fork_bomb_ends_as_one(container: Container) -> None:
    bomb = "try:\n    while os.fork(): pass\nfinally: time.sleep(600)"
    await container.exec(["setsid", "-f", "python3", "-c", f"import os, time\n{bomb}"], wall_s=60)
    status = Status.OK
    # The bomb takes a while where the machine is busy.
    async with asyncio.timeout(60):
        while status is Status.OK:
            status = (await container.exec(["python3", "-c", "import os; os.fork()"], wall_s=60)).status
    assert status is Status.PROCESS_LIMIT


async def test_memory_is_limited(container: Container) -> None:
    status, _ = await shell(
        container, "exec python3 -c \"kept = [bytearray(b'x' * (1 << 20)) for _ in range(999)]\""
    )
    assert status is Status.MEMORY_LIMIT
    status, _ = await shell(container, "kill -9 $$")
    assert status is Status.SIGNAL, "this one ended itself"


async def test_a_full_disk_ends_the_container(container: Container, engine: DockerEngine) -> None:
    await shell(container, "head -c 40000000 /dev/zero > /full")
    async with asyncio.timeout(60):
        while (await shell(container, "true"))[0] is not Status.DISK_LIMIT:
            await asyncio.sleep(0.1)
        while await names(engine, running=True):
            await asyncio.sleep(0.1)
    assert await container.get("/app") == {}


async def test_a_program_without_end_ends_the_container(container: Container) -> None:
    assert (await shell(container, "sleep 600", wall_s=1))[0] is Status.WALL_LIMIT
    assert (await shell(container, "true"))[0] is Status.WALL_LIMIT


START = "await DockerContainers(ContainerOptions(socket)).open(ContainerSpec(image))"
CREATE = """api = EngineApi(socket)
    await api.call("POST", "/containers/create", body=creation(ContainerSpec(image), processors=1))"""


async def kill_itself_after(steps: str, engine: DockerEngine, image: str) -> None:
    program = f"""
import asyncio, os, signal
from assay.adapters.sandbox.docker.containers import ContainerOptions, DockerContainers
from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.task_container import creation
from assay.domain.programs.containers import ContainerSpec
async def main(socket, image):
    {steps}
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main({engine.socket_path!r}, {image!r}))
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
    assert await asyncio.wait_for(process.wait(), 120) == -signal.SIGKILL


async def test_the_container_of_a_killed_process_ends_and_is_removed_before_the_next(
    engine: DockerEngine, image: str
) -> None:
    await kill_itself_after(START, engine, image)
    async with asyncio.timeout(60):
        while await names(engine, running=True):
            await asyncio.sleep(0.1)
    await check_another(engine)
    assert await names(engine) == []


async def test_a_container_that_was_never_started_is_removed_before_the_next(
    engine: DockerEngine, image: str
) -> None:
    await kill_itself_after(CREATE, engine, image)
    assert len(await names(engine)) == 1
    await check_another(engine)
    assert await names(engine) == []


async def check_another(engine: DockerEngine) -> None:
    other = DockerContainers(ContainerOptions(engine.socket_path))
    await other.check()
    await other.close()


async def test_only_images_of_our_own_are_pruned(engine: DockerEngine, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM assay-demo-base:1\nRUN cat /dev/null > /pruned\n")
    containers = DockerContainers(ContainerOptions(engine.socket_path))
    image = await containers.built(Build(tmp_path, network="none"))
    async with EngineApi(engine.socket_path) as api:
        await Images(api, budget_bytes=0).prune()
        with pytest.raises(SandboxError, match="No such image"):
            await api.call("GET", f"/images/{image}/json")
        assert await api.call("GET", f"/images/{engine.image}/json"), "an image of somebody else stays"
    await containers.close()


async def test_what_is_missing_is_said_with_its_remedy(containers: Containers, tmp_path: Path) -> None:
    nowhere = DockerContainers(ContainerOptions(str(tmp_path / "none.sock")))
    with pytest.raises(SandboxUnavailableError, match="DOCKER_HOST"):
        await nowhere.check()
    with pytest.raises(SandboxError):
        await containers.pulled("localhost:1/nothing/here:7")
