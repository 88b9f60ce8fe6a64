"""The container backend against an engine of the tests' own."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from assay.adapters.sandbox.docker.backend import DockerBackend, DockerOptions, engine_socket
from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.orphans import LABEL
from assay.benchmarks.livecodebench.task import benchmark
from assay.domain.benchmark import Services
from assay.domain.calls.messages import Completion, Json
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.outcome import Outcome
from assay.domain.programs.sandbox import MIB, Isolation, Limits, Mount, SandboxSession, Spec, Status
from assay.engine.grading.grade import DirectGrader
from assay.engine.sandbox.selected import SelectedSandbox
from assay.engine.sandbox.selection import Choice
from tests.docker_engine import DockerEngine

# One loop for all: the backend lives as long as the engine.
pytestmark = pytest.mark.asyncio(loop_scope="module")
LIMITS = Limits(cpu_s=2, wall_s=60, memory_bytes=128 * MIB, processes=16, disk_bytes=8 * MIB, inodes=200)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def probed(engine: DockerEngine) -> AsyncGenerator[DockerBackend]:
    """One for all tests, for it is probed once."""
    backend = DockerBackend(DockerOptions(engine.socket_path, engine.image))
    yield backend
    await backend.close()


@pytest_asyncio.fixture(loop_scope="module")
async def backend(engine: DockerEngine, probed: DockerBackend) -> AsyncGenerator[DockerBackend]:
    yield probed
    async with EngineApi(engine.socket_path) as api:
        assert await containers(api) == [], "every session's container is removed"


async def containers(api: EngineApi) -> list[Json]:
    listed = (await api.call("GET", "/containers/json", params={"all": "true"})).get("items")
    assert isinstance(listed, list)
    return listed


async def python(session: SandboxSession, source: str, limits: Limits = LIMITS) -> Status:
    return (await session.exec(["python3", "-c", source], limits=limits)).status


async def test_the_probe_runs_something(backend: DockerBackend) -> None:
    """The ways out are tried with those of all backends."""
    probe = await backend.probe()
    assert probe.is_available, probe.reason
    assert probe.isolation is Isolation.CONTAINER
    assert "images" in probe.capabilities


async def test_files_streams_and_links(backend: DockerBackend, tmp_path: Path) -> None:
    (tmp_path / "shown").write_bytes(b"mounted")
    await asyncio.to_thread(tmp_path.chmod, 0o755)
    spec = Spec(limits=LIMITS, mounts=(Mount(str(tmp_path), "/given"),), env={"NAME": "value"})
    async with await backend.open(spec) as session:
        await session.put({"folder/in.bin": bytes(range(256))})
        script = (
            "cat; cat folder/in.bin /given/shown; ln -s /etc/passwd link; ln folder/in.bin twin;"
            " echo $NAME > out.txt; echo x > /given/new; exit 3"
        )
        result = await session.exec(["/bin/sh", "-c", script], stdin=b"\xff\x00in")
        assert (result.status, result.exit_code) == (Status.NONZERO, 3)
        assert result.stdout == b"\xff\x00in" + bytes(range(256)) + b"mounted"
        assert b"Read-only" in result.stderr
        collected = await session.get(["**"])
        assert collected.keys() - {"twin", "folder/in.bin"} == {"out.txt"}, "links are never followed"
        assert collected["out.txt"] == b"value\n"
        with pytest.raises(SandboxError, match="stay inside"):
            await session.put({"../out": b""})


async def test_every_limit_has_its_own_ending(backend: DockerBackend) -> None:
    async with await backend.open(Spec(limits=LIMITS)) as session:
        await session.put({"kept": b"here"})
        assert await python(session, "while True: pass") is Status.CPU_LIMIT
        memory = "kept = []\nwhile True: kept.append(bytearray(b'x' * (1 << 20)))"
        assert await python(session, memory) is Status.MEMORY_LIMIT
        assert await python(session, "import os; os.abort()") is Status.SIGNAL
        forks = "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(60)"
        assert await python(session, forks) is Status.NONZERO
        assert await python(session, "while True: print('x' * 1000)") is Status.OUTPUT_LIMIT
        short = Limits(cpu_s=2, wall_s=2)
        assert await python(session, "import time; time.sleep(60)", short) is Status.WALL_LIMIT
        # The container had to be killed; its successor has the files that were put.
        assert await python(session, "assert open('kept').read() == 'here'") is Status.OK


async def test_no_case_sees_anything_of_another(backend: DockerBackend) -> None:
    source = (
        "import os, subprocess, sys\n"
        "print(sys.stdin.read(), os.listdir('/tmp'), os.listdir('/dev/shm'))\n"
        "print(sorted(name for name in os.listdir('/proc') if name.isdigit() and int(name) > 50))\n"
        "open('/tmp/left', 'w'); open('/dev/shm/left', 'w')\n"
        "subprocess.Popen(['setsid', 'sleep', '60'])\n"
    )
    async with await backend.open(Spec(limits=LIMITS)) as session:
        results = [one async for one in session.exec_many(source, [b"1", b"2"])]
    assert [one.status for one in results] == [Status.OK, Status.OK], results
    first, second = (one.stdout.split(b"\n")[0] for one in results)
    assert (first, second) == (b"1 [] []", b"2 [] []")


async def test_containers_of_a_killed_process_are_removed_at_the_next_start(engine: DockerEngine) -> None:
    program = (
        "import asyncio, os, signal\n"
        "from assay.adapters.sandbox.docker.backend import DockerBackend, DockerOptions\n"
        "from assay.domain.programs.sandbox import Spec\n"
        "async def main():\n"
        f"    backend = DockerBackend(DockerOptions({engine.socket_path!r}, {engine.image!r}))\n"
        "    await backend.open(Spec())\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
    assert await asyncio.wait_for(process.wait(), 120) == -signal.SIGKILL
    async with EngineApi(engine.socket_path) as api:
        (left,) = await containers(api)
        assert isinstance(left, Mapping)
        assert LABEL in str(left["Labels"])
        backend = DockerBackend(DockerOptions(engine.socket_path, engine.image))
        assert (await backend.probe()).is_available
        await backend.close()
        assert await containers(api) == []


async def test_what_is_missing_is_said_with_its_remedy(engine: DockerEngine, tmp_path: Path) -> None:
    nowhere = await DockerBackend(DockerOptions(str(tmp_path / "none.sock"))).probe()
    assert "no container engine listens" in nowhere.reason
    backend = DockerBackend(DockerOptions(engine.socket_path, "no-such-image:7"))
    probe = await backend.probe()
    assert not probe.is_available
    assert probe.fix == "docker pull no-such-image:7, or name another in ASSAY_SANDBOX_IMAGE"
    with pytest.raises(SandboxUnavailableError, match="no-such-image"):
        await SelectedSandbox([backend], Choice("docker")).open(Spec())
    with pytest.raises(SandboxError, match="no-such-image"):
        await backend.open(Spec())
    await backend.close()
    assert engine_socket("unix:///x/y.sock") == "/x/y.sock"


async def test_livecodebench_is_graded_in_containers(backend: DockerBackend) -> None:
    items = benchmark.load(benchmark.demo_tables())
    grader = DirectGrader(benchmark, Services(sandbox=SelectedSandbox([backend], Choice("docker"))))
    item = items.items[0]
    cue = items.cue(item)
    right = await grader.grade(item, Completion(cue.right or ""))
    assert right.outcome is Outcome.CORRECT, right.details
    assert isinstance(right.details["sandbox"], Mapping)
    assert right.details["sandbox"]["isolation"] == "container"
    assert (await grader.grade(item, Completion(cue.wrong or ""))).outcome is Outcome.INCORRECT
