"""Faults of a remote sandbox service while tasks run in its containers: never a result of the task."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.sandy.agents import AgentTask
from assay.adapters.sandbox.sandy.backend import SandyBackend, SandyOptions
from assay.adapters.sandbox.sandy.containers import SandyContainers
from assay.benchmarks.swe_bench_pro.task import SweBenchPro
from assay.benchmarks.swe_bench_pro.task import benchmark as swe_bench
from assay.benchmarks.terminal_bench_hard.task import TerminalBench
from assay.benchmarks.terminal_bench_hard.task import benchmark as terminal_bench
from assay.domain.benchmark import Services
from assay.domain.errors import DataError, SandboxError, SandboxUnavailableError
from assay.domain.outcome import Outcome
from assay.domain.programs.containers import (
    Build,
    ContainerSpec,
    HttpAnswer,
    HttpQuestion,
    PlacedFile,
)
from assay.domain.programs.sandbox import Isolation, Spec, Status
from tests.docker_engine import IMAGE, DockerEngine
from tests.integration.cli import Assay
from tests.integration.sandy_server import KEY, running_service
from tests.integration.trials import simulated

# One loop for all: the connection lives as long as the engine.
pytestmark = pytest.mark.asyncio(loop_scope="module")
OPTIONS = SandyOptions(key=KEY, retry_delay_s=0.01, patience_s=20)


@pytest.fixture(scope="module")
def address(engine: DockerEngine) -> Generator[str]:
    with running_service(engine.socket_path) as address:
        yield address


@pytest_asyncio.fixture(loop_scope="module")
async def containers(address: str) -> AsyncGenerator[SandyContainers]:
    await sent(address, "faults", {})
    containers = SandyContainers(replace(OPTIONS, base_url=address, docker_upstream="host-2"))
    yield containers
    await containers.close()


async def sent(address: str, path: str, body: object = None) -> list[object]:
    method = "GET" if body is None else "POST"
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, f"{address}/{path}", json=body) as response,
    ):
        return await response.json()


async def running(engine: DockerEngine) -> int:
    async with EngineApi(engine.socket_path) as api:
        listed = (await api.call("GET", "/containers/json", params={"all": "true"})).get("items")
    assert isinstance(listed, list)
    return len(listed)


async def test_what_it_can_do_is_a_claim_and_the_engine_is_named(
    containers: SandyContainers, address: str, engine: DockerEngine
) -> None:
    assert (await containers.version()).endswith("behind the remote sandbox service")
    async with await containers.open(ContainerSpec(IMAGE)) as container:
        assert container.confinement.to_json()["verified"] is False
        assert container.confinement.isolation is Isolation.CONTAINER
        assert await running(engine) == 1
    assert await running(engine) == 0
    assert await sent(address, "running") == [], "every sandbox is ended"
    asked = (await sent(address, "asked"))[-1]
    assert asked == {"enableDockerSocket": True, "upstream": "host-2", "timeoutMinutes": 24 * 60}


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        *(
            (kind, fault)
            for kind in ("sandboxes", "exec", "write")
            for fault in (500, 404, "garbage", "flood")
        ),
        *(("sandboxes", "silence"), ("write", "silence")),
    ],
)
async def test_a_fault_while_a_container_is_opened(
    containers: SandyContainers, address: str, engine: DockerEngine, kind: str, fault: int | str
) -> None:
    impatient = SandyContainers(replace(OPTIONS, base_url=address, patience_s=0.5))
    await sent(address, "faults", {kind: [fault] * 9})
    with pytest.raises(SandboxError) as caught:
        await impatient.open(ContainerSpec(IMAGE))
    assert KEY not in str(caught.value)
    await impatient.close()
    await sent(address, "faults", {})
    assert await running(engine) == 0
    async with await containers.open(ContainerSpec(IMAGE)) as container:
        assert (await container.exec(["true"], wall_s=20)).status is Status.OK


@pytest.mark.parametrize("fault", [500, 404, "garbage", "flood"])
@pytest.mark.parametrize("call", ["exec", "put", "get"])
async def test_a_fault_in_the_middle_is_an_error_and_no_result(
    containers: SandyContainers, address: str, call: str, fault: int | str
) -> None:
    async with await containers.open(ContainerSpec(IMAGE)) as container:
        calls: dict[str, Callable[[], Awaitable[object]]] = {
            "exec": lambda: container.exec(["true"], wall_s=20),
            "put": lambda: container.put("/x", {"a": PlacedFile(b"a")}),
            "get": lambda: container.get("/bin"),
        }
        await sent(address, "faults", {"exec": [fault] * 9})
        with pytest.raises(SandboxError):
            await calls[call]()
        await sent(address, "faults", {})


async def test_a_lost_answer_runs_no_program_twice(containers: SandyContainers, address: str) -> None:
    """The service does the command, and its first answer says that it failed."""
    async with await containers.open(ContainerSpec(IMAGE)) as container:
        await sent(address, "faults", {"exec": ["done, then 502"]})
        with pytest.raises(SandboxError, match="ran nothing"):
            await container.exec(["sh", "-c", "echo once >> /count"], wall_s=20)
        counted = await container.exec(["cat", "/count"], wall_s=20)
    assert counted.stdout == b"once\n"


async def test_a_sandbox_that_is_gone_is_an_error_and_closing_it_is_none(
    containers: SandyContainers, address: str, engine: DockerEngine
) -> None:
    container = await containers.open(ContainerSpec(IMAGE))
    [name] = await sent(address, "running")
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {KEY}"}) as session:
        await session.post(f"{address}/api/sandboxes/{name}/terminate", json={})
    with pytest.raises(SandboxError, match="404"):
        await container.exec(["true"], wall_s=20)
    await container.close()
    assert await running(engine) == 1, "nobody was there to remove it"
    await removed(engine)


async def removed(engine: DockerEngine) -> None:
    async with EngineApi(engine.socket_path) as api:
        listed = (await api.call("GET", "/containers/json", params={"all": "true"})).get("items")
        assert isinstance(listed, list)
        for one in listed:
            assert isinstance(one, dict)
            await api.remove(str(one["Id"]))


async def test_a_killed_process_leaves_a_container_that_the_next_check_removes(
    containers: SandyContainers, address: str, engine: DockerEngine
) -> None:
    program = (
        "import asyncio, os, signal\n"
        "from assay.adapters.sandbox.sandy.backend import SandyOptions\n"
        "from assay.adapters.sandbox.sandy.containers import SandyContainers\n"
        "from assay.domain.programs.containers import ContainerSpec\n"
        "async def main():\n"
        f"    containers = SandyContainers(SandyOptions({address!r}, {KEY!r}))\n"
        f"    await containers.open(ContainerSpec({IMAGE!r}))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    async with await containers.open(ContainerSpec(IMAGE)) as live:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
        assert await asyncio.wait_for(process.wait(), 120) == -signal.SIGKILL
        assert await running(engine) == 2
        await containers.check()
        assert await running(engine) == 1
        assert (await live.exec(["true"], wall_s=20)).status is Status.OK
    await sent(address, "faults", {})


async def test_an_agent_of_the_users_own_has_no_way_to_its_model(containers: SandyContainers) -> None:
    async def answer(question: HttpQuestion) -> HttpAnswer:
        return HttpAnswer(200, question.body)

    async with await containers.open(ContainerSpec(IMAGE)) as container:
        with pytest.raises(SandboxUnavailableError, match="use an engine of this machine"):
            container.serving(answer)


async def test_larger_files_travel_in_parts(containers: SandyContainers) -> None:
    content = bytes(range(256)) * 40_000
    async with await containers.open(ContainerSpec(IMAGE)) as container:
        await container.put("/given", {"large.bin": PlacedFile(content), "small": PlacedFile(b"")})
        result = await container.exec(["cat", "/given/large.bin"], wall_s=60, output_bytes=len(content))
        assert (result.stdout, result.truncated) == (content, False)
        assert await container.get("/given") == {"large.bin": content, "small": b""}
        cut = await container.exec(["cat", "/given/large.bin"], wall_s=60, output_bytes=1000)
        assert (cut.status, cut.stdout) == (Status.OUTPUT_LIMIT, content[:1000])


async def test_without_the_sockets_of_its_hosts_it_says_what_is_missing(tmp_path: Path) -> None:
    with running_service() as address:
        containers = SandyContainers(replace(OPTIONS, base_url=address))
        with pytest.raises(SandboxUnavailableError, match="lets sandboxes use Docker's socket"):
            await containers.check()
        await containers.close()
    with pytest.raises(SandboxUnavailableError, match="set SANDY_BASE_URL"):
        await SandyContainers(SandyOptions()).check()
    environment = (("ASSAY_CONTAINERS", "sandy"), ("SANDY_BASE_URL", address), ("SANDY_API_KEY", KEY))
    found = Assay(tmp_path, environment)("doctor", "--json")
    [finding] = [one for one in json.loads(found.stdout)["findings"] if one["what"] == "containers"]
    assert finding["status"] == "note"
    assert "does not answer" in finding["state"]
    assert "SANDY_BASE_URL" in finding["remedy"]
    assert KEY not in found.stdout + found.stderr


async def test_an_image_that_is_nowhere_is_an_error(containers: SandyContainers) -> None:
    with pytest.raises(SandboxError):
        await containers.pulled("localhost:1/nothing/here:7")


async def test_a_folder_that_is_too_large_is_not_sent(containers: SandyContainers, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(f"FROM {IMAGE}\n")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(600 * 1024**2)
    with pytest.raises(DataError, match="more than 512 MiB"):
        await containers.built(Build(tmp_path))


@pytest.mark.parametrize("benchmark", [terminal_bench, swe_bench], ids=["terminal", "swe"])
async def test_a_demo_task_is_solved_there_by_the_oracle_and_not_by_null(
    containers: SandyContainers, benchmark: TerminalBench | SweBenchPro
) -> None:
    item_set = benchmark.load(benchmark.demo_tables())
    assert item_set.converse is not None
    services = Services(containers=containers)
    item = item_set.items[0]
    for model, outcome in (("sim/oracle", Outcome.CORRECT), ("sim/null", Outcome.INCORRECT)):
        answer = await item_set.converse(item, simulated(model), services)
        grade = await benchmark.grade(item, answer, services)
        assert grade.outcome is outcome, grade.explanation


async def test_an_agent_of_the_service_works_on_files_and_has_no_socket(
    address: str,
) -> None:
    backend = SandyBackend(replace(OPTIONS, base_url=address, patience_s=1))
    async with await backend.open(Spec()) as session:
        assert "enableDockerSocket" not in str((await sent(address, "asked"))[-1])
        await session.put({"given.txt": b"given\n"})
        work = await session.run_agent(AgentTask("shell", "a/model", "cat given.txt; echo made > new", 60))
        assert [one["text"] for one in work.told] == ["given\n"]
        assert (work.completion["exitCode"], work.is_truncated) == (0, False)
        assert (await session.get(["new"])) == {"new": b"made\n"}
        with pytest.raises(SandboxError, match="before its end"):
            await session.run_agent(AgentTask("shell", "a/model", "exit 77", 60))
        with pytest.raises(SandboxError, match="no agent 'other'"):
            await session.run_agent(AgentTask("other", "a/model", "", 60))
        for fault in ("garbage", "silence", "flood", 500):
            await sent(address, "faults", {"run": [fault]})
            with pytest.raises(SandboxError):
                await session.run_agent(AgentTask("shell", "a/model", "true", 1))
    await backend.close()


async def test_an_attempt_whose_sandbox_is_gone_has_no_score(
    address: str, engine: DockerEngine, tmp_path: Path
) -> None:
    environment = (("ASSAY_CONTAINERS", "sandy"), ("SANDY_BASE_URL", address), ("SANDY_API_KEY", KEY))
    assay = Assay(tmp_path, environment)
    run = ("run", "sim/oracle?delay_ms=500", "terminal_bench_hard", "--data", "demo", "--json")
    process = await asyncio.create_subprocess_exec(
        *assay.command((*run, "--item", "fix-the-average")),
        env=assay.environment(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(120):
        while not await running(engine):
            await asyncio.sleep(0.1)
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {KEY}"}) as session:
        for name in await sent(address, "running"):
            await session.post(f"{address}/api/sandboxes/{name}/terminate", json={})
    out, error = await asyncio.wait_for(process.communicate(), 120)
    [evaluation] = json.loads(out)["evaluations"]
    assert evaluation["outcomes"] == {"sandbox_error": 1}, error
    assert evaluation["score"] is None
    assert KEY not in (out + error).decode()
    await removed(engine)
