"""The remote sandbox backend against a server process that speaks its protocol and runs the programs."""

import asyncio
import json
import shutil
from collections.abc import AsyncGenerator, Generator

import aiohttp
import pytest

from assay.adapters.sandbox.sandy.backend import SandyBackend, SandyOptions
from assay.benchmarks.livecodebench.task import benchmark
from assay.domain.benchmark import Services
from assay.domain.calls.messages import Completion
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.outcome import Outcome
from assay.domain.programs.sandbox import Isolation, Limits, Spec, Status
from assay.engine.grading.grade import DirectGrader
from assay.engine.sandbox.selected import SelectedSandbox
from assay.engine.sandbox.selection import Choice
from tests.conftest import absent
from tests.integration.sandy_server import KEY, running_service

SPEC = Spec(limits=Limits(cpu_s=2, wall_s=20, stdout_bytes=100_000))


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    if shutil.which("bwrap") is None:
        absent("bwrap is not installed")
    with running_service() as base_url:
        yield base_url


@pytest.fixture
async def backend(address: str) -> AsyncGenerator[SandyBackend]:
    await fail_next(address)
    backend = SandyBackend(SandyOptions(address, KEY, retry_delay_s=0.01))
    yield backend
    await backend.close()


async def fail_next(address: str, **kinds: list[int | str]) -> None:
    async with aiohttp.ClientSession() as session:
        await session.post(f"{address}/faults", json=kinds)


async def calls(address: str) -> list[str]:
    async with aiohttp.ClientSession() as session, session.get(f"{address}/calls") as response:
        return await response.json()


async def test_its_isolation_is_a_claim_and_it_must_be_named(backend: SandyBackend) -> None:
    probe = await backend.probe()
    assert probe.is_available, probe.reason
    assert (probe.isolation, probe.is_verified) == (Isolation.VM, False)
    with pytest.raises(SandboxUnavailableError):
        await SelectedSandbox([backend], Choice()).open(SPEC)
    async with await SelectedSandbox([backend], Choice("sandy")).open(SPEC) as session:
        assert session.confinement.to_json()["verified"] is False


async def test_a_command_with_files_input_and_output(backend: SandyBackend) -> None:
    async with await backend.open(SPEC) as session:
        await session.put({"folder/in.bin": bytes(range(256)), "empty": b""})
        script = "cat; cat folder/in.bin; ln -s /etc/passwd link; echo made > out.txt; echo told >&2; exit 3"
        result = await session.exec(["/bin/sh", "-c", script], stdin=b"\xff\x00in")
        assert (result.status, result.exit_code) == (Status.NONZERO, 3)
        assert result.stdout == b"\xff\x00in" + bytes(range(256))
        assert result.stderr == b"told\n"
        assert await session.get(["**"]) == {
            "folder/in.bin": bytes(range(256)),
            "empty": b"",
            "out.txt": b"made\n",
        }


async def test_all_cases_travel_in_one_exec(backend: SandyBackend, address: str) -> None:
    async with await backend.open(SPEC) as session:
        await fail_next(address)
        source = "import sys\nprint(int(sys.stdin.read()) * 2)"
        results = [one async for one in session.exec_many(source, [str(n).encode() for n in range(40)])]
        # One to unpack the source, one to run all cases.
        assert (await calls(address)).count("exec") == 2
    assert [int(one.stdout) for one in results] == [2 * n for n in range(40)]


async def test_after_a_case_that_ended_badly_the_rest_still_runs(backend: SandyBackend) -> None:
    source = (
        "import os, sys\nn = int(sys.stdin.read())\nif n == 1:\n    os.abort()\n"
        "print(n, os.listdir('.'))\nopen('left', 'w')"
    )
    async with await backend.open(SPEC) as session:
        results = [one async for one in session.exec_many(source, [b"0", b"1", b"2"])]
    assert [one.status for one in results] == [Status.OK, Status.SIGNAL, Status.OK]
    assert results[2].stdout == b"2 []\n"


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("while True: pass", Status.CPU_LIMIT),
        ("import time; time.sleep(60)", Status.WALL_LIMIT),
        ("while True: print('x' * 1000)", Status.OUTPUT_LIMIT),
        # Whoever ends the driver has ended itself; the service is not to blame.
        ("import os; os.kill(os.getppid(), 9); import time; time.sleep(9)", Status.SIGNAL),
        ("import subprocess; subprocess.Popen(['setsid', 'sleep', '60'])", Status.OK),
    ],
)
async def test_limits_and_endings(backend: SandyBackend, source: str, status: Status) -> None:
    limits = Limits(cpu_s=1, wall_s=3 if status is Status.WALL_LIMIT else 60, stdout_bytes=100_000)
    async with await backend.open(SPEC) as session:
        results = [one async for one in session.exec_many(source, [b""], limits=limits)]
    assert [one.status for one in results] == [status]


@pytest.mark.parametrize(
    "kinds",
    [
        {"sandboxes": [503, 500]},
        {"exec": [408, 429, 502]},
        {"exec": ["vsock handshake failed", "agent not ready"]},
        {"write": [500, 500, 500, 500]},
    ],
)
async def test_what_the_service_fails_at_is_tried_again(
    backend: SandyBackend, address: str, kinds: dict[str, list[int | str]]
) -> None:
    await backend.probe()
    await fail_next(address, **kinds)
    async with await backend.open(SPEC) as session:
        assert (await session.exec(["/bin/true"])).status is Status.OK


async def test_a_service_that_goes_on_failing_is_a_sandbox_error(backend: SandyBackend, address: str) -> None:
    await backend.probe()
    await fail_next(address, sandboxes=[500, 500, 500])
    with pytest.raises(SandboxError, match="answered 500: the service is busy, 3 times"):
        await backend.open(SPEC)
    async with await backend.open(SPEC) as session:
        await fail_next(address, exec=[404])
        with pytest.raises(SandboxError, match="answered 404"):
            await session.exec(["/bin/true"])
        await fail_next(address, terminate=[404])


async def test_the_key_is_in_no_message(address: str) -> None:
    """Not even where the service sends it back."""
    secret = "another-key-77aa"  # noqa: S105
    backend = SandyBackend(SandyOptions(address, secret, retry_delay_s=0.01))
    probe = await backend.probe()
    await backend.close()
    assert not probe.is_available
    assert "401" in probe.reason
    assert secret not in probe.reason
    assert secret not in repr(SandyOptions(address, secret))


async def test_without_an_address_it_says_what_to_set() -> None:
    probe = await SandyBackend(SandyOptions()).probe()
    assert not probe.is_available
    assert probe.fix == "set SANDY_BASE_URL and SANDY_API_KEY"


async def test_livecodebench_is_graded_there(backend: SandyBackend) -> None:
    items = benchmark.load(benchmark.demo_tables())
    grader = DirectGrader(benchmark, Services(sandbox=SelectedSandbox([backend], Choice("sandy"))))
    functional = next(item for item in items.items if item.fields["function"])
    for item in (items.items[0], functional):
        cue = items.cue(item)
        right, wrong = await asyncio.gather(
            grader.grade(item, Completion(cue.right or "")), grader.grade(item, Completion(cue.wrong or ""))
        )
        assert right.outcome is Outcome.CORRECT, right.details
        assert wrong.outcome is Outcome.INCORRECT, wrong.details
        assert json.dumps(right.details["sandbox"]).count('"verified": false') == 1
