"""Runs a batch of programs inside a remote sandbox; sent there as text and never imported by Assay.

One request to the service takes longer than most programs, so all cases of a batch go into one. Each result
is a line of JSON on standard output, with the nonce of the job. Runs on Python 3.8 or newer.
"""

import base64
import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

_SUBREAPER, _DUMPABLE = 36, 4
_NOBODY = 65534
_WRITABLE = ("/tmp", "/var/tmp", "/dev/shm", "/workspace")  # noqa: S108
# If the user is the same, this process and its parent shell count towards the program's limit.
_OWN = 4
_CHUNK_BYTES = 1 << 16
_TICK_S = 0.05


def main() -> None:
    job = _job(sys.argv[1])
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    # Prevents programs of the same user from opening this process's files or memory.
    libc.prctl(_DUMPABLE, 0, 0, 0, 0)
    job["drops"] = job["is_case"] and _can_drop()
    for index, case in enumerate(job["cases"]):
        _write_line(job, {"begin": index})
        result = _run(job, base64.b64decode(case))
        _write_line(job, {"end": index, **result})
        if job["stop"] and result["status"] != "ok":
            return


def _job(path: str) -> "dict[str, Any]":
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 # a script that starts fast
        job: dict[str, Any] = json.load(file)
    os.unlink(path)  # noqa: PTH108
    os.makedirs(job["cwd"] or "/tmp", exist_ok=True)  # noqa: PTH103, S108
    return job


def _write_line(job: "dict[str, Any]", line: "dict[str, Any]") -> None:
    os.write(1, json.dumps({"nonce": job["nonce"], **line}).encode() + b"\n")


def _run(job: "dict[str, Any]", stdin: bytes) -> "dict[str, Any]":
    before = _places_of_cases() if job["is_case"] else None
    folder = tempfile.mkdtemp(prefix="case-")
    if job["drops"]:
        os.chown(folder, _NOBODY, _NOBODY)
    began = time.monotonic()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        program = subprocess.Popen(  # noqa: S603
            job["argv"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=job["cwd"] or folder,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", **job["env"]},
            start_new_session=True,
            preexec_fn=lambda: _confine(job),  # noqa: PLW1509 # there is one thread
        )
        outcome = _followed(program, stdin, job["limits"])
    except OSError as error:
        outcome: dict[str, Any] = {"status": "nonzero", "exit_code": 127, "stderr": str(error).encode()}
    finally:
        _reap()
        shutil.rmtree(folder, ignore_errors=True)
        _clear(before)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    if outcome.get("signal") == signal.SIGKILL and cpu_s >= job["limits"]["cpu_s"]:
        # It ignored the first signal of the CPU limit.
        outcome["status"] = "cpu_limit"
    streams = {name: base64.b64encode(outcome.pop(name, b"")).decode() for name in ("stdout", "stderr")}
    return {
        "exit_code": None,
        "signal": None,
        **outcome,
        **streams,
        "cpu_s": cpu_s,
        "wall_s": time.monotonic() - began,
    }


def _places_of_cases() -> "dict[str, set[str]]":
    """The contents of the folders that any program can write to."""
    return {folder: set(os.listdir(folder)) for folder in _WRITABLE if os.path.isdir(folder)}  # noqa: PTH112, PTH208


def _clear(before: "dict[str, set[str]] | None") -> None:
    """Remove files that a case has left in shared folders."""
    for folder, names in (before or {}).items():
        for name in set(os.listdir(folder)) - names:  # noqa: PTH208
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)  # noqa: PTH108


def _confine(job: "dict[str, Any]") -> None:
    limits = job["limits"]
    cpu_s = int(-(-limits["cpu_s"] // 1)) or 1
    for name, soft, hard in (
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        (resource.RLIMIT_DATA, limits["memory_bytes"], limits["memory_bytes"]),
        (resource.RLIMIT_FSIZE, limits["file_bytes"], limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, limits["open_files"], limits["open_files"]),
        (resource.RLIMIT_NPROC, limits["processes"] + _OWN, limits["processes"] + _OWN),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        resource.setrlimit(name, (soft, hard))
    if job["drops"]:
        _drop()


def _drop() -> None:
    os.setgroups([])
    os.setgid(_NOBODY)
    os.setuid(_NOBODY)


def _can_drop() -> bool:
    """Whether cases can run as another user; not in a namespace with only one user."""
    child = os.fork()
    if child == 0:
        try:
            _drop()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _followed(program: "subprocess.Popen[bytes]", stdin: bytes, limits: "dict[str, Any]") -> "dict[str, Any]":
    watch = _Streams(program, stdin, limits)
    deadline = time.monotonic() + limits["wall_s"]
    while not watch.stopped and (watch.reading or program.poll() is None):
        if time.monotonic() > deadline:
            watch.stopped = "wall_limit"
            break
        watch.exchange()
        if program.poll() is not None:
            # A child that it left behind may hold its output open: only what is there already counts.
            watch.reading = {one for one in watch.reading if select.select([one], [], [], 0)[0]}
    with contextlib.suppress(OSError):
        os.killpg(program.pid, signal.SIGKILL)
    return {**_ending(program.wait(), watch.stopped), **watch.given}


class _Streams:
    """A program's three streams, read and written without blocking."""

    def __init__(self, program: "subprocess.Popen[bytes]", stdin: bytes, limits: "dict[str, Any]") -> None:
        assert program.stdin and program.stdout and program.stderr  # noqa: S101, PT018 # all are pipes
        self._stdin, self._feed = program.stdin, memoryview(stdin)
        self._stdout, self._stderr = program.stdout, program.stderr
        self._most = {program.stdout: limits["stdout_bytes"], program.stderr: limits["stderr_bytes"]}
        self._kept = {program.stdout: bytearray(), program.stderr: bytearray()}
        self.reading = set(self._kept)
        self.stopped = ""
        self._is_truncated = False
        for stream in (program.stdin, program.stdout, program.stderr):
            os.set_blocking(stream.fileno(), False)

    @property
    def given(self) -> "dict[str, Any]":
        kept = self._kept
        streams = {"stdout": bytes(kept[self._stdout]), "stderr": bytes(kept[self._stderr])}
        return {**streams, "truncated": self._is_truncated}

    def exchange(self) -> None:
        """Wait briefly for any stream, then read and write what is possible."""
        writing = [] if self._stdin.closed else [self._stdin]
        readable, writable, _ = select.select(list(self.reading), writing, [], _TICK_S)
        if writable:
            self._feed = _fed(self._stdin, self._feed)
        for stream in readable:
            chunk = os.read(stream.fileno(), _CHUNK_BYTES)
            room = self._most[stream] - len(self._kept[stream])
            self._kept[stream] += chunk[:room]
            if not chunk:
                self.reading.discard(stream)
            elif len(chunk) > room:
                self._is_truncated = True
                self.stopped = "output_limit" if stream is self._stdout else self.stopped


def _fed(pipe: Any, rest: memoryview) -> memoryview:  # noqa: ANN401 # typeshed has no name for it at run time
    try:
        rest = rest[os.write(pipe.fileno(), rest[:_CHUNK_BYTES]) :] if rest else rest
    except BlockingIOError:
        return rest
    except OSError:
        rest = rest[:0]
    if not rest:
        pipe.close()
    return rest


def _ending(code: int, stopped: str) -> "dict[str, Any]":
    if stopped:
        return {"status": stopped}
    if code >= 0:
        return {"status": "nonzero" if code else "ok", "exit_code": code}
    return {"status": "cpu_limit" if -code == signal.SIGXCPU else "signal", "signal": -code}


def _reap() -> None:
    """Kill the processes that a program left behind: they became children of this process."""
    while True:
        for child in _children():
            os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> "list[int]":
    path = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
    try:
        with open(path, encoding="ascii") as file:  # noqa: PTH123
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


main()
