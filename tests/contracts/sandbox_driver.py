"""Runs probes against one backend, as whoever started it, and prints what came of each as JSON.

Started by the tests with a Python that has the standard library alone.
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

from sandbox_probes import NEIGHBOUR_PROBES, PREAMBLE, PROBES, ZYGOTE_PROBES

from assay.adapters.sandbox.local.orders import Mode
from assay.adapters.sandbox.local_backend import LocalBackend, LocalOptions
from assay.domain.sandbox import MIB, Limits, Result, Session, Spec, Status

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
SHORT = replace(LIMITS, wall_s=1.0)

# Where the program cannot say it: how it must end.
MUST_END: dict[str, set[Status]] = {
    "use up processor time": {Status.CPU_LIMIT},
    "use up processor time in many processes": {Status.CPU_LIMIT, Status.WALL_LIMIT},
    "sleep for ever": {Status.WALL_LIMIT},
    "write without end": {Status.OUTPUT_LIMIT},
    "write errors without end": {Status.OUTPUT_LIMIT},
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
    session: Session, name: str, program: str, host: Host, *, by_command: bool = False
) -> dict[str, object]:
    limits = SHORT if Status.WALL_LIMIT in MUST_END.get(name, ()) and "sleep" in name else LIMITS
    stdin = json.dumps(host.told).encode()
    if by_command:
        argv = [sys.executable, "-I", "-c", PREAMBLE + program]
        result = await session.exec(argv, stdin=stdin, limits=limits)
    else:
        [result] = [one async for one in session.exec_many(PREAMBLE + program, [stdin], limits=limits)]
    return {"hole": is_open(name, result, host), "spoke": has_spoken(name, result), **described(result)}


def has_spoken(name: str, result: Result) -> bool:
    """Whether the program came to its verdict, unless a limit ended it or it is judged otherwise."""
    is_silent = name in SILENT or name in MUST_END or result.status.value.endswith("_limit")
    return is_silent or (result.status is Status.OK and b'{"hole"' in result.stdout)


def is_open(name: str, result: Result, host: Host) -> bool:
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


def described(result: Result) -> dict[str, object]:
    return {
        "status": result.status.value,
        "exit_code": result.exit_code,
        "signal": result.signal,
        "cpu_s": result.cpu_s,
        "wall_s": result.wall_s,
        "stdout": result.stdout[-300:].decode(errors="replace"),
        "stderr": result.stderr[-300:].decode(errors="replace"),
    }


async def artefacts(session: Session) -> dict[str, object]:
    """A workspace full of traps, and what is collected from it."""
    trap = (
        "ln -s /etc/passwd link; ln -s /usr away; ln -s . loop; mkfifo pipe; echo a > real;"
        " ln real twin; mkdir -p in/side; echo b > in/side/file; ln -s /etc in/etc;"
        " head -c 3000000 /dev/zero > big"
    )
    result = await session.exec(["sh", "-c", trap], limits=LIMITS)
    found = await session.get(["*"], max_bytes=1_000_000)
    return {"hole": set(found) != {"in/side/file"}, "found": sorted(found), **described(result)}


async def work(mode: Mode, wanted: set[str], *, by_command: bool) -> dict[str, object]:
    options = LocalOptions.default(slots=2)
    backend = LocalBackend(mode, options)
    probe = await backend.probe()
    if not probe.is_available:
        return {"unavailable": f"{probe.reason}; {probe.fix}"}
    programs = {**PROBES, **NEIGHBOUR_PROBES, **ZYGOTE_PROBES}
    programs = {name: program for name, program in programs.items() if name in wanted}
    try:
        async with await backend.open(SPEC) as other:
            await other.put({"other": b"secret of another session"})
            with prepared([f"{options.root}/{n}/files/workspace/other" for n in range(16)]) as host:
                tell = commanded if by_command else cased
                results = await tell(backend, programs, host)
        async with await backend.open(SPEC) as session:
            results["plant links among the artefacts"] = await artefacts(session)
    finally:
        await backend.close()
    return {"results": results, "confinement": probe.confinement.to_json()}


async def cased(backend: LocalBackend, programs: dict[str, str], host: Host) -> dict[str, object]:
    """All in one session, so that each could find what the one before has left."""
    async with await backend.open(SPEC) as session:
        results: dict[str, object] = {
            name: await tried(session, name, program, host) for name, program in programs.items()
        }
        results["survive all of it"] = await tried(session, "", "hole(False, 'alive')", host)
    return results


async def commanded(backend: LocalBackend, programs: dict[str, str], host: Host) -> dict[str, object]:
    """Each in a session of its own, for the files of a session stay."""
    results: dict[str, object] = {}
    for name, program in {**programs, "survive all of it": "hole(False, 'alive')"}.items():
        async with await backend.open(SPEC) as session:
            results[name] = await tried(session, name, program, host, by_command=True)
    return results


def main() -> None:
    modes: dict[str, Mode] = {"bubblewrap": "bubblewrap", "landlock": "landlock", "unsafe": "unsafe"}
    wanted: list[str] = json.loads(sys.argv[2])
    found = asyncio.run(work(modes[sys.argv[1]], set(wanted), by_command="by-command" in sys.argv))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
