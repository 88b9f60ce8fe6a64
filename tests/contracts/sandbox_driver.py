"""Runs probes against one backend, as whoever started it, and prints what came of each as JSON.

    sandbox_driver.py BACKEND OPTIONS PROBES [by-command]

The backends of this machine are tried by a Python that has the standard library alone. `OPTIONS` is what the
others need to be reached, as JSON.
"""

import asyncio
import contextlib
import json
import os
import platform
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sandbox_probes import BUNDLE, LOOKING, NEIGHBOUR_PROBES, PREAMBLE, PROBES, ZYGOTE_PROBES

from assay.adapters.sandbox.local.messages import Mode
from assay.adapters.sandbox.local_backend import LocalBackend, LocalOptions
from assay.domain.programs.sandbox import MIB, ExecResult, Limits, SandboxSession, Spec, Status
from assay.engine.sandbox.selection import Backend

LIMITS = Limits(
    cpu_s=1.0,
    wall_s=8.0,
    memory_bytes=128 * MIB,
    processes=24,
    file_bytes=8 * MIB,
    disk_bytes=16 * MIB,
    inodes=2000,
    stdout_bytes=256 * 1024,
    stderr_bytes=64 * 1024,
    open_files=128,
)
SPEC = Spec(limits=LIMITS)
LOCAL: dict[str, Mode] = {"bubblewrap": "bubblewrap", "landlock": "landlock", "unsafe": "unsafe"}
SHORT = replace(LIMITS, wall_s=1.0)
# A second of processor time takes a while on a busy machine, and so does memory for twelve processes.
LONG = replace(LIMITS, wall_s=60.0)
SLOW = {
    "take memory in twelve processes",
    "use up processor time",
    "use up processor time in many processes",
}

# Where the program cannot say it: how it must end.
MUST_END: dict[str, set[Status]] = {
    "use up processor time": {Status.CPU_LIMIT},
    "use up processor time in many processes": {Status.CPU_LIMIT},
    "sleep for ever": {Status.WALL_LIMIT},
    "write without end": {Status.OUTPUT_LIMIT},
    "write errors without end": {Status.CPU_LIMIT, Status.WALL_LIMIT},
    "keep the output open in a child": {Status.OK},
    "leave a daemon behind": {Status.OK},
}
SILENT = {
    "kill a process of the service",
    "leave files for the next case",
    "change what the next case imports",
}
CALLS = {
    "x86_64": {
        "bpf": 321,
        "userfaultfd": 323,
        "keyctl": 250,
        "perf": 298,
        "clone": 56,
        "pidfd_send_signal": 424,
    },
    "aarch64": {
        "bpf": 280,
        "userfaultfd": 282,
        "keyctl": 219,
        "perf": 241,
        "clone": 220,
        "pidfd_send_signal": 424,
    },
}


@dataclass(frozen=True)
class Host:
    """What a program could reach if nothing were in its way."""

    told: Mapping[str, object]
    victims: tuple[subprocess.Popen[bytes], ...]
    daemon: str


@contextlib.contextmanager
def prepared(other_files: list[str]) -> Generator[Host]:
    name = f"assay-probe-{secrets.token_hex(6)}"
    with tempfile.TemporaryDirectory(prefix=name, dir="/tmp") as made:
        folder = Path(made)
        folder.chmod(0o777)
        public = folder / "public"
        public.write_text("public")
        public.chmod(0o644)
        path_socket, abstract = folder / "socket", f"{name}-abstract"
        with contextlib.ExitStack() as closing:
            listening = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX), socket.socket()]
            for one, address in zip(listening, (str(path_socket), f"\0{abstract}", ("", 0)), strict=True):
                closing.enter_context(one)
                one.bind(address)
                one.listen()
            path_socket.chmod(0o777)
            victims = tuple(
                closing.enter_context(
                    subprocess.Popen(["sleep", "600"], env={"X": os.environ["PROBE_SECRET"]})
                )
                for _ in range(1)
            )
            told = (
                asdict(LIMITS)
                | CALLS[platform.machine()]
                | {
                    "name": folder.name,
                    "public_file": str(public),
                    "public_folder": str(folder),
                    "other_files": other_files,
                    "secret": os.environ["PROBE_SECRET"],
                    "pids": [os.getpid(), os.getppid(), victims[0].pid],
                    "victims": [one.pid for one in victims],
                    "port": listening[2].getsockname()[1],
                    "address": _address(),
                    "abstract": abstract,
                    "path_socket": str(path_socket),
                    "daemon": name,
                }
            )
            try:
                yield Host(told, victims, name)
            finally:
                for one in victims:
                    one.kill()


def _address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(one.getsockname()[0])


async def tried(
    session: SandboxSession, name: str, program: str, host: Host, *, by_command: bool = False
) -> dict[str, object]:
    limits = SHORT if "sleep" in name else LONG if name in SLOW else LIMITS
    stdin = json.dumps(host.told).encode()
    result = await executed(session, program, stdin, limits=limits, by_command=by_command)
    return {"hole": is_open(name, result, host), "spoke": has_spoken(name, result), **described(result)}


async def looked(
    session: SandboxSession, programs: Mapping[str, str], host: Host, *, by_command: bool
) -> dict[str, object]:
    """All of them in one execution, each in a process of its own."""
    stdin = json.dumps({**host.told, "bundle": programs}).encode()
    result = await executed(session, BUNDLE, stdin, by_command=by_command)
    told = {line["name"]: line for line in map(json.loads, result.stdout.splitlines())}
    results: dict[str, object] = {}
    for name in programs:
        line = told.get(name, {"stdout": "", "status": -1})
        status = Status.OK if line["status"] == 0 else Status.NONZERO
        alone = replace(result, stdout=line["stdout"].encode(), status=status)
        results[name] = {
            "hole": is_open(name, alone, host),
            "spoke": has_spoken(name, alone),
            **described(alone),
        }
    return results


async def executed(
    session: SandboxSession, program: str, stdin: bytes, *, limits: Limits = LIMITS, by_command: bool = False
) -> ExecResult:
    if by_command:
        argv = [session_python(session), "-I", "-c", PREAMBLE + program]
        return await session.exec(argv, stdin=stdin, limits=limits)
    [result] = [one async for one in session.exec_many(PREAMBLE + program, [stdin], limits=limits)]
    return result


def session_python(session: SandboxSession) -> str:
    return sys.executable if session.confinement.backend in LOCAL else "python3"


def has_spoken(name: str, result: ExecResult) -> bool:
    """Whether the program came to its verdict, unless a limit ended it or it is judged otherwise."""
    is_silent = name in SILENT or name in MUST_END or result.status.value.endswith("_limit")
    return is_silent or (result.status is Status.OK and b'{"hole"' in result.stdout)


def is_open(name: str, result: ExecResult, host: Host) -> bool:
    if name == "kill a process of the service":
        return any(one.poll() is not None for one in host.victims)
    if name == "leave a daemon behind":
        return (
            host.daemon in subprocess.run(["ps", "axww"], capture_output=True, text=True, check=True).stdout
        )
    if name in MUST_END:
        return result.status not in MUST_END[name] or (result.cpu_s or 0) > LIMITS.cpu_s + 1
    said = [json.loads(line) for line in result.stdout.splitlines() if line.startswith(b'{"hole"')]
    return any(one["hole"] for one in said)


def described(result: ExecResult) -> dict[str, object]:
    return {
        "status": result.status.value,
        "exit_code": result.exit_code,
        "signal": result.signal,
        "cpu_s": result.cpu_s,
        "wall_s": result.wall_s,
        "stdout": result.stdout[-300:].decode(errors="replace"),
        "stderr": result.stderr[-300:].decode(errors="replace"),
    }


async def artefacts(session: SandboxSession) -> dict[str, object]:
    """A workspace full of traps, and what is collected from it."""
    trap = (
        "ln -s /etc/passwd link; ln -s /usr away; ln -s . loop; mkfifo pipe; echo a > real;"
        " ln real twin; mkdir -p in/side; echo b > in/side/file; ln -s /etc in/etc;"
        " head -c 3000000 /dev/zero > big"
    )
    result = await session.exec(["sh", "-c", trap])
    found = await session.get(["**"], max_bytes=1_000_000)
    return {"hole": set(found) != {"in/side/file"}, "found": sorted(found), **described(result)}


def backend_of(name: str, options: Mapping[str, str]) -> Backend:
    if name == "docker":
        # What these two import is not there for other users.
        from assay.adapters.sandbox.docker.backend import DockerBackend, DockerOptions  # noqa: PLC0415

        return DockerBackend(DockerOptions(options["socket_path"], options["image"]))
    if name == "sandy":
        from assay.adapters.sandbox.sandy.backend import SandyBackend, SandyOptions  # noqa: PLC0415

        return SandyBackend(SandyOptions(options["base_url"], options["key"]))
    return LocalBackend(LOCAL[name], LocalOptions.default(slots=2))


async def work(backend: Backend, wanted: set[str], *, by_command: bool) -> dict[str, object]:
    root = LocalOptions.default().root
    probe = await backend.probe()
    if not probe.is_available:
        await backend.close()
        return {"unavailable": f"{probe.reason}; {probe.fix}"}
    programs = {**PROBES, **NEIGHBOUR_PROBES, **ZYGOTE_PROBES}
    programs = {name: program for name, program in programs.items() if name in wanted}
    try:
        async with await backend.open(SPEC) as other:
            await other.put({"other": b"secret of another session"})
            others = ["/workspace/other", *(f"{root}/{n}/files/workspace/other" for n in range(16))]
            with prepared(others) as host:
                results = await all_tried(backend, programs, host, by_command=by_command)
        async with await backend.open(SPEC) as session:
            results["plant links among the artefacts"] = await artefacts(session)
    finally:
        await backend.close()
    return {"results": results, "confinement": probe.confinement.to_json()}


async def all_tried(
    backend: Backend, programs: dict[str, str], host: Host, *, by_command: bool
) -> dict[str, object]:
    results: dict[str, object] = {}
    if backend.name not in LOCAL:
        looking = {name: program for name, program in programs.items() if name in LOOKING}
        programs = {name: program for name, program in programs.items() if name not in LOOKING}
        async with await backend.open(SPEC) as session:
            results |= await looked(session, looking, host, by_command=by_command)
    tell = commanded if by_command else cased
    return results | await tell(backend, programs, host)


async def cased(backend: Backend, programs: dict[str, str], host: Host) -> dict[str, object]:
    """All in one session, so that each could find what the one before has left."""
    async with await backend.open(SPEC) as session:
        results: dict[str, object] = {
            name: await tried(session, name, program, host) for name, program in programs.items()
        }
        results["survive all of it"] = await tried(session, "", "hole(False, 'alive')", host)
    return results


async def commanded(backend: Backend, programs: dict[str, str], host: Host) -> dict[str, object]:
    """Each in a session of its own, for the files of a session stay."""
    results: dict[str, object] = {}
    for name, program in {**programs, "survive all of it": "hole(False, 'alive')"}.items():
        async with await backend.open(SPEC) as session:
            results[name] = await tried(session, name, program, host, by_command=True)
    return results


async def told(name: str, options: str, wanted: str, *, by_command: bool) -> None:
    found = await work(backend_of(name, json.loads(options)), set(json.loads(wanted)), by_command=by_command)
    sys.stdout.write(json.dumps(found))


def main() -> None:
    asyncio.run(told(*sys.argv[1:4], by_command="by-command" in sys.argv))


if __name__ == "__main__":
    main()
