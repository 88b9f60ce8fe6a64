"""What every local backend promises to a grader, and that nothing is left of it."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.sandbox.local.messages import Mode
from assay.adapters.sandbox.local_backend import LocalBackend, LocalOptions
from assay.domain.errors import SandboxError, SandboxUnavailableError
from assay.domain.programs.sandbox import (
    MIB,
    WORKSPACE,
    ExecResult,
    Isolation,
    Limit,
    Limits,
    Mount,
    Network,
    SandboxSession,
    Spec,
    Status,
)
from tests.conftest import REPOSITORY, absent

LIMITS = Limits(cpu_s=5, wall_s=20, memory_bytes=256 * MIB)
DOUBLE = "print(2 * int(input()))"


@contextlib.asynccontextmanager
async def opened(mode: Mode, spec: Spec | None = None) -> AsyncGenerator[SandboxSession]:
    if mode == "bubblewrap" and shutil.which("bwrap") is None:
        absent("no bwrap; install bubblewrap")
    backend = LocalBackend(mode, LocalOptions.default(slots=1))
    try:
        async with await backend.open(spec or Spec(limits=LIMITS)) as session:
            yield session
    finally:
        await backend.close()


async def ran(
    session: SandboxSession, source: str, stdin: bytes = b"", *, limits: Limits | None = None
) -> ExecResult:
    [result] = [one async for one in session.exec_many(source, [stdin], limits=limits)]
    return result


EVERY: tuple[Mode, ...] = ("bubblewrap", "landlock", "unsafe")


@pytest.mark.parametrize("mode", EVERY)
async def test_commands_share_a_workspace(mode: Mode) -> None:
    async with opened(mode) as session:
        await session.put({"in/numbers.txt": b"1 2 3", "say": b"#!/bin/sh\necho $GREETING"})
        made = await session.exec(["sh", "-c", "cat in/numbers.txt > out; sh say; cat; exit 3"], stdin=b"!")
        assert (made.status, made.exit_code, made.stdout) == (Status.NONZERO, 3, b"\n!")
        told = await session.exec(["sh", "say"], env={"GREETING": "hello"}, cwd=WORKSPACE)
        assert (told.status, told.stdout) == (Status.OK, b"hello\n")
        assert await session.get(["out", "in/*"]) == {"out": b"1 2 3", "in/numbers.txt": b"1 2 3"}


@pytest.mark.parametrize("mode", EVERY)
async def test_cases_come_back_in_order(mode: Mode) -> None:
    async with opened(mode) as session:
        await session.put({"tools.py": b"def twice(n): return 2 * n\n"})
        source = (
            "import tools, sys\nprint(tools.twice(int(input())))\nprint(sys.argv, __name__, file=sys.stderr)"
        )
        results = [one async for one in session.exec_many(source, [b"1", b"2", b"x", b"4"])]
    assert [one.stdout for one in results] == [b"2\n", b"4\n", b"", b"8\n"]
    assert [one.status for one in results] == [Status.OK, Status.OK, Status.NONZERO, Status.OK]
    assert results[0].stderr == b"['main.py'] __main__\n"
    assert b"ValueError" in results[2].stderr


async def test_the_rest_of_the_cases_can_be_left() -> None:
    spec = Spec(limits=replace(LIMITS, wall_s=600))
    # The others would sleep for ten minutes each.
    async with asyncio.timeout(60), opened("bubblewrap", spec) as session:
        cases = session.exec_many("import time; time.sleep(int(input()))", [b"0", b"600", b"600"])
        async for result in cases:
            assert result.status is Status.OK
            break
        again = await ran(session, DOUBLE, b"21")
        assert again.stdout == b"42\n"


async def test_a_program_is_an_interpreter_of_its_own() -> None:
    source = """
import atexit, os, sys, threading
atexit.register(lambda: print("at exit"))
thread = threading.Thread(target=lambda: print("thread", len(os.read(0, os.fstat(0).st_size))))
thread.start()
class Hard(Exception): pass
def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
sys.setrecursionlimit(200_000)
print(deep(100_000))
"""
    async with opened("bubblewrap") as session:
        result = await ran(session, source, b"x" * 200_000)
        assert result.stdout.splitlines()[-1] == b"at exit", result
        assert set(result.stdout.splitlines()) == {b"thread 200000", b"100000", b"at exit"}
        codes = [
            await ran(session, one) for one in ("raise SystemExit(7)", "exit('why')", "import os; os.abort()")
        ]
        early = await ran(session, "import os; print('PASSED', flush=True); os._exit(0); assert False")
    assert [one.exit_code for one in codes] == [7, 1, None]
    assert codes[1].stderr == b"why\n"
    assert codes[2].status is Status.SIGNAL
    # A grader must want more than this: the program ended so because it chose to.
    assert (early.status, early.stdout) == (Status.OK, b"PASSED\n")


async def test_time_is_told_apart() -> None:
    async with opened("bubblewrap") as session:
        busy = await ran(session, "while True: pass", limits=replace(LIMITS, cpu_s=0.5))
        idle = await ran(session, "import time; time.sleep(9)", limits=replace(LIMITS, wall_s=1))
    assert (busy.status, idle.status) == (Status.CPU_LIMIT, Status.WALL_LIMIT)
    assert busy.cpu_s is not None
    assert 0.4 < busy.cpu_s < 1.5
    assert idle.cpu_s is not None
    assert idle.cpu_s < 0.4


async def test_mounts_and_another_interpreter(tmp_path: Path) -> None:
    folder = tmp_path / "private" / "folder"
    folder.mkdir(parents=True)
    folder.parent.chmod(0o700)
    (folder / "data").write_text("mounted")
    environment = tmp_path / "environment"
    venv.create(environment, symlinks=True)
    [packages] = environment.glob("lib/python*/site-packages")
    (packages / "only_here.py").write_text("answer = 42\n")
    spec = Spec(
        limits=LIMITS,
        mounts=(Mount(str(folder), "/data"),),
        python=str(environment / "bin" / "python"),
        preload=("only_here", "not_there"),
    )
    source = (
        "import sys; print('only_here' in sys.modules); import only_here; print(open('/data/data').read())"
    )
    async with opened("bubblewrap", spec) as session:
        result = await ran(session, source)
        assert result.stdout == b"True\nmounted\n", result
        told = await session.exec([str(environment / "bin" / "python"), "-c", "import only_here; print(1)"])
        assert told.stdout == b"1\n", told
        written = await session.exec(["sh", "-c", "echo x > /data/new"])
        assert written.status is Status.NONZERO


@pytest.mark.parametrize("inside", ["", "/opt/node"])
async def test_no_program_reads_assay_itself(inside: str) -> None:
    """Also where it was installed into a folder that programs see, which holds expected values."""
    package = REPOSITORY / "src" / "assay"
    mount = Mount(str(package.parent), inside)
    shown = f"{mount.inside}/assay"
    async with opened("bubblewrap", Spec(limits=LIMITS, mounts=(mount,))) as session:
        found = await session.exec(["ls", "-A", shown])
        case = await ran(session, f"import os; print([one[1:] for one in os.walk({shown!r})])")
    assert (found.status, found.stdout) == (Status.OK, b"")
    # Cases have a /tmp of their own, which covers a repository that lies there.
    assert case.stdout in (b"[([], [])]\n", b"[]\n")


async def test_the_next_session_finds_nothing() -> None:
    backend = LocalBackend("bubblewrap", LocalOptions.default(slots=1))
    try:
        for way in ("put", "exec"):
            async with await backend.open(Spec(limits=LIMITS)) as session:
                if way == "put":
                    await session.put({"secret/key": b"1"})
                else:
                    await session.exec(["sh", "-c", "mkdir -p a/b; echo 1 > a/b/c; echo 1 > /tmp/d"])
                await ran(session, DOUBLE, b"1")
            async with await backend.open(Spec(limits=LIMITS)) as session:
                found = await session.exec(["sh", "-c", "ls -A /workspace /tmp /dev/shm"])
                cases = await ran(session, "import os; print(os.listdir('/workspace'), os.listdir('/tmp'))")
            assert found.stdout.split() == [b"/dev/shm:", b"/tmp:", b"/workspace:"]
            assert cases.stdout == b"[] []\n"
    finally:
        await backend.close()


async def test_a_failure_of_the_sandbox_is_no_result() -> None:
    async with opened("bubblewrap") as session:
        with pytest.raises(SandboxError, match="no-such-program"):
            await session.exec(["/no-such-program"])
    async with opened("bubblewrap") as session:
        with pytest.raises(SandboxError, match="not a path inside"):
            await session.put({"../out": b""})
    backend = LocalBackend("bubblewrap", LocalOptions.default(slots=1))
    with pytest.raises(SandboxUnavailableError, match="images"):
        await backend.open(Spec(image="python:3.12"))
    await backend.close()


async def test_a_program_cannot_pass_for_a_failed_sandbox() -> None:
    source = "import os, sys; os.write(2, b'bwrap: cannot start the program'); os._exit(1)"
    async with opened("bubblewrap") as session:
        result = await session.exec(["/bin/sh", "-c", "echo bwrap: execvp failed >&2; exit 1"])
        case = await ran(session, source)
    assert (result.status, case.status) == (Status.NONZERO, Status.NONZERO)


def _slot_groups(number: int) -> list[Path]:
    record = LocalOptions.default().root / f"{number}.json"
    with contextlib.suppress(OSError, ValueError):
        return [Path(one) for one in json.loads(record.read_text())]
    return []


def _members(group: Path) -> list[str]:
    # Another session of this machine may just have removed the group.
    with contextlib.suppress(OSError):
        return (group / "cgroup.procs").read_text().split()
    return []


def _inode(group: Path) -> int | None:
    with contextlib.suppress(OSError):
        return group.stat().st_ino
    return None


def _mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()


def _processes(mark: str) -> list[str]:
    told = subprocess.run(["ps", "axww", "-o", "pid,args"], capture_output=True, text=True, check=True)
    return [line for line in told.stdout.splitlines() if mark in line]


WORKER = """
import asyncio, sys
from assay.adapters.sandbox.local_backend import LocalBackend, LocalOptions
from assay.domain.programs.sandbox import Limits, Spec

async def main():
    backend = LocalBackend(sys.argv[1], LocalOptions.default(slots=1))
    session = await backend.open(Spec(limits=Limits(wall_s=300)))
    await session.put({"left": b"behind"})
    print(session._supervisor._process.pid, flush=True)
    await session.exec(["sh", "-c", "sleep 299.%s & sleep 299.%s" % (sys.argv[2], sys.argv[2])])

asyncio.run(main())
"""


def _eventually(condition: Callable[[], bool], within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("mode", ["bubblewrap", "landlock"])
@pytest.mark.parametrize("victims", ["the worker", "the worker and its supervisor"])
async def test_nothing_is_left_of_a_killed_worker(mode: Mode, victims: str) -> None:
    if mode == "bubblewrap" and shutil.which("bwrap") is None:
        absent("no bwrap; install bubblewrap")
    root = LocalOptions.default().root
    mark = f"299.{os.getpid()}{len(mode)}{len(victims)}"
    command = [sys.executable, "-c", WORKER, mode, mark.partition(".")[2]]
    worker = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, cwd=REPOSITORY)
    assert worker.stdout is not None
    supervisor = int(await worker.stdout.readline())
    assert _eventually(lambda: len(_processes(f"sleep {mark}")) >= 2, 20)
    numbers = [int(one.stem) for one in root.glob("*.json")]
    groups = [folder for number in numbers for folder in _slot_groups(number)]
    held = {one: _inode(one) for one in groups if str(supervisor) in _members(one)}
    if victims != "the worker":
        os.kill(supervisor, signal.SIGKILL)
    worker.kill()
    await worker.wait()

    # The next start finds the slot free and cleans it.
    async with opened(mode) as session:
        assert (await session.exec(["/bin/true"])).status is Status.OK
    assert _eventually(lambda: not _processes(f"sleep {mark}"), 10), _processes(mark)
    # Another process may have taken the slot already, and created a group of the same name.
    assert _eventually(lambda: all(_inode(one) != inode for one, inode in held.items()), 10), held
    assert str(root) not in _mounts()
    assert not list(root.glob("*/files/workspace/left"))


async def test_a_canceled_grader_leaves_nothing_running() -> None:
    mark = f"298.{os.getpid()}"
    backend = LocalBackend("bubblewrap", LocalOptions.default(slots=1))

    async def grading() -> None:
        async with await backend.open(Spec(limits=LIMITS)) as session:
            await session.exec(["sleep", mark])

    try:
        task = asyncio.create_task(grading())
        while not _processes(f"sleep {mark}"):
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with await backend.open(Spec(limits=LIMITS)) as session:
            assert (await ran(session, DOUBLE, b"4")).stdout == b"8\n"
        assert not _processes(f"sleep {mark}")
    finally:
        await backend.close()


async def test_the_choice_is_seen_in_every_result() -> None:
    async with opened("bubblewrap") as session:
        result = await session.exec(["/bin/true"])
    assert result.confinement.isolation is Isolation.NAMESPACES
    document = result.confinement.to_json()
    assert document["backend"] == "bubblewrap"
    assert document["verified"] is True
    enforced = document["enforced"]
    assert isinstance(enforced, list)
    assert {"wall", "output", "processes", "disk", "network"} <= set(map(str, enforced))


async def test_slots_are_shared_fairly() -> None:
    backend = LocalBackend("bubblewrap", LocalOptions.default(slots=2))

    async def one(number: int) -> bytes:
        async with await backend.open(Spec(limits=LIMITS)) as session:
            return (await ran(session, DOUBLE, str(number).encode())).stdout

    try:
        found = await asyncio.gather(*(one(number) for number in range(7)))
    finally:
        await backend.close()
    assert found == [f"{2 * number}\n".encode() for number in range(7)]


CONNECT = """
import socket
socket.create_connection((socket.gethostbyname("localhost"), int(input())), timeout=5)
"""


@pytest.mark.parametrize("mode", ["bubblewrap", "landlock"])
async def test_a_network_is_there_only_where_it_is_asked_for(mode: Mode) -> None:
    """With one, the program reaches what this machine reaches, by name; and no session says it has none."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = str(server.sockets[0].getsockname()[1]).encode()
    async with server:
        expected: dict[Network, Status] = {"none": Status.NONZERO, "on": Status.OK}
        for network, status in expected.items():
            async with opened(mode, Spec(limits=LIMITS, network=network)) as session:
                by_case = await ran(session, CONNECT, port)
                command = await session.exec(["/usr/bin/python3", "-c", CONNECT], stdin=port)
                assert (by_case.status, command.status) == (status, status), by_case.stderr
                assert (Limit.NETWORK in session.confinement.enforced) == (network == "none")


@pytest.mark.parametrize("mode", EVERY)
async def test_too_much_on_the_error_stream_does_not_end_a_program(mode: Mode) -> None:
    source = "import sys\nsys.stderr.write('x' * 3_000_000)\nprint('done')"
    async with opened(mode) as session:
        result = await ran(session, source)
    assert (result.status, result.stdout, result.truncated) == (Status.OK, b"done\n", True)
    assert len(result.stderr) == LIMITS.stderr_bytes


@pytest.fixture
def alternative() -> Path:
    """A link by its full path, as a sandbox shows it: below it lies the machine itself."""
    link = next((one for one in Path("/etc/alternatives").glob("*") if one.is_symlink()), None)
    if link is None:
        absent("no alternatives on this machine")
    return link


async def test_no_mount_leads_out_of_the_sandbox_over_a_link(alternative: Path) -> None:
    mounts = (Mount("/usr/share", f"{alternative}/share"),)
    with pytest.raises(SandboxError, match="leads out of the sandbox"):
        async with opened("bubblewrap", Spec(limits=LIMITS, mounts=mounts)):
            pass
