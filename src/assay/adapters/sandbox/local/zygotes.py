"""Many cases of one Python program: through a zygote in the sandbox, or in a new interpreter each."""

import json
import os
import select
import socket
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from assay.adapters.sandbox.local import processes, slots
from assay.adapters.sandbox.local.ending import Ending, ended_frame, of_wait_status
from assay.adapters.sandbox.local.frames import Frame
from assay.adapters.sandbox.local.launch import (
    Child,
    SandboxView,
    bubblewrap_arguments,
    rlimits,
    start_process,
)
from assay.adapters.sandbox.local.monitor import MonitorInputs, Output, ProgramMonitor
from assay.adapters.sandbox.local.program import (
    Command,
    ConfinementTerms,
    ProgramError,
    SessionContext,
    SlotContext,
    filter_code,
    run,
)
from assay.adapters.sandbox.local.program_pipes import ProgramPipes, memory_file
from assay.domain.programs.sandbox import WORKSPACE, Limits

_BOOT_S = 120.0
_ANSWER_BYTES = 1 << 16
_ZYGOTE = Path(__file__).with_name("zygote.py")
# Both read their source from an open file: the program's file system has no file of ours.
_BOOT = """
import json, os, sys
config = json.load(os.fdopen(int(sys.argv[1])))
names = {"__name__": "zygote"}
exec(compile(config.pop("source"), "zygote", "exec"), names)
names["main"](config, int(sys.argv[2]))
"""
_FRESH = """
import sys
path, workspace = sys.argv[1:]
sys.argv = ["main.py"]
sys.path.insert(0, workspace)
with open(path, "rb") as file:
    source = file.read()
exec(compile(source, "main.py", "exec", dont_inherit=True))
"""


class _Answer(TypedDict):
    """The reply for a case; `failed` says why it could not be run."""

    failed: str
    status: int
    cpu_s: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Interpreter:
    """What a zygote was started for: any change requires a new zygote."""

    session: SessionContext
    python: str
    preload: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Running:
    interpreter: Interpreter
    pid: int
    control: socket.socket
    stderr: int

    def answer(self) -> _Answer:
        data = self.control.recv(_ANSWER_BYTES)
        if not data:
            raise ProgramError(f"the process that forks cases has ended: {self._said()}")
        answer: _Answer = json.loads(data)
        if answer["failed"]:
            raise ProgramError(answer["failed"])
        return answer

    def end(self) -> None:
        self.control.close()
        os.close(self.stderr)
        processes.reap_all(wanted=self.pid)

    def _said(self) -> str:
        poll = select.poll()
        poll.register(self.stderr, select.POLLIN)
        # No other process holds the other end: it is closed when the process ends.
        return os.read(self.stderr, _ANSWER_BYTES).decode(errors="replace").strip() if poll.poll(1000) else ""


@lru_cache(maxsize=8)
def _order(terms: ConfinementTerms, limits: Limits, slot: int) -> bytes:
    order = {
        "op": "case",
        "disk_bytes": limits.disk_bytes,
        "inodes": limits.inodes,
        "rlimits": rlimits(limits, has_group=terms.has_group),
        "cpus": sorted(terms.cpus(slot)),
    }
    return json.dumps(order).encode()


class Zygotes:
    """The slot's zygote: started when needed, kept while sessions use the same interpreter."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self._interpreter = Interpreter(SessionContext(), sys.executable, ())
        self._running: _Running | None = None
        self._source = b""

    @property
    def spared(self) -> frozenset[int]:
        return frozenset({self._running.pid}) if self._running else frozenset()

    def use(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        if self._running is not None and self._running.interpreter != interpreter:
            self.close()

    def load(self, source: bytes) -> None:
        """Set the program of the following cases."""
        self._source = source
        if self._context.terms.mode != "bubblewrap":
            self._program_file.write_bytes(source)
            return
        if self._running is None:
            self._running = self._booted()
        program = memory_file(source)
        socket.send_fds(self._running.control, [b'{"op": "program"}'], [program])
        os.close(program)

    def case(self, limits: Limits, stdin: bytes) -> Frame:
        if self._context.terms.mode != "bubblewrap":
            return self._fresh(limits, stdin)
        if self._running is None:
            self.load(self._source)
        assert self._running is not None  # noqa: S101 # loading a program boots it
        try:
            return self._forked(self._running, limits, stdin)
        except (ProgramError, OSError):
            self.close()
            raise

    def close(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.end()

    def _forked(self, running: _Running, limits: Limits, stdin: bytes) -> Frame:
        context = self._context
        with ProgramPipes(stdin) as pipes:
            context.meter.begin(limits)
            socket.send_fds(
                running.control, [_order(context.terms, limits, context.folders.slot.number)], pipes.stdio
            )
            pipes.close_given()
            inputs = MonitorInputs(
                stdout=Output(pipes.stdout, limits.stdout_bytes),
                stderr=Output(pipes.stderr, limits.stderr_bytes),
                ended=running.control.fileno(),
                control=context.link.control.fileno(),
                kill=lambda: running.control.sendall(b'{"op": "kill"}'),
                is_canceled=context.link.is_canceled,
            )
            monitor = ProgramMonitor(inputs, limits, context.meter)
            monitor.wait()
            answer = running.answer()
            inputs.stdout.drain()
            inputs.stderr.drain()
            return ended_frame(self._ending(answer, monitor), monitor)

    def _ending(self, answer: _Answer, monitor: ProgramMonitor) -> Ending:
        code, number = of_wait_status(answer["status"])
        meter = self._context.meter
        # The usage of children that nobody waited for is not included in a process's own.
        is_whole = monitor.killed_for is None
        return Ending(
            exit_code=code,
            signal=number,
            cpu_s=answer["cpu_s"] if is_whole else max(answer["cpu_s"], meter.cpu_s()),
            peak_bytes=answer["peak_bytes"],
            refused_forks=meter.refused_forks(),
            is_out_of_memory=meter.is_out_of_memory(),
        )

    def _booted(self) -> _Running:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ProgramPipes(b"") as pipes:
            config = pipes.give(memory_file(self._config()))
            interpreter = self._interpreter
            view = SandboxView(
                folders=self._context.folders,
                env=interpreter.session.env,
                cwd="/",
                is_zygote=True,
                has_network=interpreter.session.mounts.has_network,
            )
            wrapper = bubblewrap_arguments(self._context.terms.bwrap, view, report=None, filter_from=None)
            child = Child(
                slot=self._context.folders.slot,
                argv=[*wrapper, interpreter.python, "-I", "-c", _BOOT, str(config), str(theirs.fileno())],
                stdio=pipes.stdio,
                keep=(config, theirs.fileno()),
                is_trusted=True,
            )
            running = _Running(interpreter, start_process(child), ours, os.dup(pipes.stderr))
            theirs.close()
            pipes.close_given()
        self._await(running)
        return running

    def _await(self, running: _Running) -> None:
        poll = select.poll()
        poll.register(running.control, select.POLLIN)
        try:
            if not poll.poll(_BOOT_S * 1000):
                raise TimeoutError(f"no answer for {_BOOT_S:g} s")
            running.answer()
        except (ProgramError, OSError) as error:
            running.end()
            raise ProgramError(f"cannot start {running.interpreter.python!r}: {error}") from error

    def _config(self) -> bytes:
        config = {
            "source": _ZYGOTE.read_text(),
            "filter": filter_code(self._context.terms).hex(),
            "has_proc": self._context.folders.has_proc,
            "workspace": WORKSPACE,
            "preload": list(self._interpreter.preload),
        }
        return json.dumps(config).encode()

    @property
    def _program_file(self) -> Path:
        return self._context.folders.files / "main.py"

    def _fresh(self, limits: Limits, stdin: bytes) -> Frame:
        folders = self._context.folders
        slots.empty_folder(folders.files / "tmp")
        argv = [self._interpreter.python, "-I", "-c", _FRESH, str(self._program_file), str(folders.workspace)]
        command = Command(argv, WORKSPACE, {}, limits, stdin, is_case=True)
        return run(self._context, self._interpreter.session, command, spare=frozenset())
