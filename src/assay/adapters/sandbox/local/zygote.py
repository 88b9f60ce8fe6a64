"""Runs inside the sandbox as its first Python process: forks one confined child per case.

The interpreter may differ from Assay's (3.9 or newer) and cannot import Assay: this file is passed to it as
text, so it imports the standard library alone.
"""

import array
import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import linecache
import os
import resource
import select
import signal
import socket
import sys
import threading
import traceback
import types
from typing import Any, NoReturn

_CLONE = {"x86_64": 56, "aarch64": 220}
_NEW_NAMESPACES = 0x00020000 | 0x08000000 | 0x20000000  # mount, ipc, pid
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 2, 4, 8
_PR_SET_SECCOMP, _PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 22, 23, 24, 38
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION = 0x20080522
_MOST_CAPABILITIES = 64
_STANDARD = 3
_MESSAGE_BYTES = 1 << 16
_PROGRAM = "main.py"
_COMPILED_BYTES = 128 * 1024

# The GIL is held across clone: the child needs a consistent interpreter.
_LIBC = ctypes.PyDLL(None, use_errno=True)
_SYSCALL, _MOUNT, _PRCTL, _CAPSET = _LIBC.syscall, _LIBC.mount, _LIBC.prctl, _LIBC.capset


_NO_CAPABILITIES = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class _FailedError(Exception):
    """The sandbox could not be set up; never the program's fault."""


def _checked(result: int, call: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise _FailedError(f"{call}: {os.strerror(number)}")


class Zygote:
    """Answers the supervisor's messages, one case at a time."""

    def __init__(self, control: socket.socket, config: "dict[str, Any]") -> None:
        self._control = control
        self._has_proc = bool(config["has_proc"])
        self._workspace = str(config["workspace"])
        self._clone = _CLONE[os.uname().machine]
        code = bytes.fromhex(config["filter"])
        self._code = ctypes.create_string_buffer(code, len(code))
        self._filter = _Program(len(code) // 8, ctypes.addressof(self._code))
        self._source = b""
        self._compiled: types.CodeType | None = None

    def serve(self) -> None:
        gc.collect()
        gc.freeze()
        self._send({"failed": ""})
        while True:
            message, files = self._receive()
            if message is None:
                return
            if message["op"] == "program":
                self._source = _content(files[0])
                self._compiled = _compiled(self._source)
            elif message["op"] == "case":
                self._send(self._case(message, files))

    def _case(self, message: "dict[str, Any]", files: "list[int]") -> "dict[str, Any]":
        report, report_to = os.pipe()
        pid = _SYSCALL(self._clone, _NEW_NAMESPACES | signal.SIGCHLD, 0, 0, 0, 0)
        if pid == 0:
            ctypes.pythonapi.PyOS_AfterFork_Child()
            self._become(message, files, report_to)
        for descriptor in (*files, report_to):
            os.close(descriptor)
        try:
            if pid < 0:
                return {"failed": f"clone: {os.strerror(ctypes.get_errno())}"}
            return self._ending(pid, report)
        finally:
            os.close(report)

    def _ending(self, pid: int, report: int) -> "dict[str, Any]":
        watched = os.pidfd_open(pid)
        try:
            poll = select.poll()
            poll.register(watched, select.POLLIN)
            poll.register(self._control, select.POLLIN)
            while watched not in {descriptor for descriptor, _ in poll.poll()}:
                message, _ = self._receive()
                # The supervisor has ended or cancels the case: either way the case ends.
                os.kill(pid, signal.SIGKILL)
                if message is None:
                    poll.unregister(self._control)
        finally:
            os.close(watched)
        # The first process of a pid namespace ends last: when it is reaped, no other is left.
        _, status, usage = os.wait4(pid, 0)
        readiness = os.read(report, _MESSAGE_BYTES)
        if not readiness.startswith(b"+") and not os.WIFSIGNALED(status):
            return {"failed": readiness.decode() or "a case ended before it began"}
        return {
            "failed": "",
            "status": status,
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_bytes": usage.ru_maxrss * 1024,
        }

    def _become(self, message: "dict[str, Any]", files: "list[int]", report_to: int) -> NoReturn:
        try:
            self._confine(message, files, report_to)
        except (_FailedError, OSError, ValueError) as error:
            os.write(report_to, f"-{error}".encode())
            os._exit(1)
        os.write(report_to, b"+")
        os.close(report_to)
        _run(self._source, self._compiled, self._workspace)

    def _confine(self, message: "dict[str, Any]", files: "list[int]", report_to: int) -> None:
        # A signal to its own process group must not reach the zygote.
        os.setsid()
        for standard, descriptor in enumerate(files):
            os.dup2(descriptor, standard)
        os.closerange(_STANDARD, report_to)
        os.closerange(report_to + 1, 256)
        tmpfs = f"size={message['disk_bytes']},nr_inodes={message['inodes']},mode=0700".encode()
        for folder in (b"/tmp", b"/dev/shm"):  # the case's own, mounted here
            _checked(_MOUNT(b"tmpfs", folder, b"tmpfs", _MS_NOSUID | _MS_NODEV, tmpfs), "mount tmpfs")
        if self._has_proc:
            flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
            _checked(_MOUNT(b"proc", b"/proc", b"proc", flags, None), "mount proc")
            with open("/proc/self/oom_score_adj", "w") as adjustment:  # noqa: PTH123 # before pathlib is safe
                adjustment.write("1000")
        os.chdir("/tmp")  # noqa: S108
        for name, soft, hard in message["rlimits"]:
            resource.setrlimit(name, (soft, hard))
        if message["cpus"]:
            os.sched_setaffinity(0, message["cpus"])
        _checked(_CAPSET(*_NO_CAPABILITIES), "capset")
        _checked(_PRCTL(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
        pointer = ctypes.byref(self._filter)
        _checked(_PRCTL(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, pointer, 0, 0), "seccomp")

    def _receive(self) -> "tuple[dict[str, Any] | None, list[int]]":
        data, ancillary, _, _ = self._control.recvmsg(
            _MESSAGE_BYTES, socket.CMSG_SPACE(_STANDARD * array.array("i").itemsize)
        )
        files = array.array("i")
        for _level, _kind, content in ancillary:
            files.frombytes(content[: len(content) - len(content) % files.itemsize])
        return (json.loads(data) if data else None), list(files)

    def _send(self, message: "dict[str, Any]") -> None:
        self._control.sendall(json.dumps(message).encode())


def _content(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read()


def _forgo_capabilities() -> None:
    """Programs executed from here get no capabilities; this process keeps its own until it drops them."""
    for capability in range(_MOST_CAPABILITIES):
        if _PRCTL(_PR_CAPBSET_READ, capability, 0, 0, 0) == 1:
            _checked(_PRCTL(_PR_CAPBSET_DROP, capability, 0, 0, 0), "drop a capability")


def _compiled(source: bytes) -> "types.CodeType | None":
    """The source compiled once for all cases; None on a syntax error, which each case must raise itself."""
    if len(source) > _COMPILED_BYTES:
        return None
    try:
        return compile(source, _PROGRAM, "exec", dont_inherit=True)
    except Exception:  # noqa: BLE001 # whatever it is, a case will say it
        return None


def _run(source: bytes, code: "types.CodeType | None", workspace: str) -> NoReturn:
    """Behave like an interpreter that was started with this source as its script."""
    # The streams use the same descriptors and have not been used yet.
    gc.enable()
    sys.argv = [_PROGRAM]
    sys.path.insert(0, workspace)
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    status = _executed(source, code, module)
    with contextlib.suppress(BaseException):
        # What the interpreter does at exit; neither function has a public name.
        getattr(threading, "_shutdown")()  # noqa: B009
        getattr(atexit, "_run_exitfuncs")()  # noqa: B009
    os._exit(_flushed(status))


def _executed(source: bytes, code: "types.CodeType | None", module: types.ModuleType) -> int:
    try:
        exec(code or compile(source, _PROGRAM, "exec", dont_inherit=True), module.__dict__)  # noqa: S102
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return (error.code or 0) & 0xFF
        print(error.code, file=sys.stderr)  # noqa: T201
        return 1
    except BaseException as error:  # noqa: BLE001 # the interpreter's own last resort
        lines = source.decode("utf-8", "replace").splitlines(keepends=True)
        linecache.cache[_PROGRAM] = (len(source), None, lines, _PROGRAM)
        inner = error.__traceback__.tb_next if error.__traceback__ else None
        with contextlib.suppress(BaseException):
            traceback.print_exception(type(error), error, inner)
        return 1
    return 0


def _flushed(code: int) -> int:
    """The exit status; 120 if output could not be written, as in the interpreter."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 # whatever the program put in place of its output
        return code or 120
    return code


def main(config: "dict[str, Any]", control: int) -> None:
    for name in config["preload"]:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    _forgo_capabilities()
    Zygote(socket.socket(fileno=control), config).serve()
