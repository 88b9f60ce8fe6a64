"""Runs one command in the workspace."""

import json
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.adapters.sandbox.local import landlock, processes, seccomp
from assay.adapters.sandbox.local.ending import Ending, ended_frame, of_shell_code, of_wait_status
from assay.adapters.sandbox.local.frames import Frame
from assay.adapters.sandbox.local.launch import (
    ENVIRONMENT,
    Child,
    SandboxView,
    bubblewrap_arguments,
    rlimits,
    start_process,
)
from assay.adapters.sandbox.local.messages import Mode
from assay.adapters.sandbox.local.meter import Meter
from assay.adapters.sandbox.local.monitor import MonitorInputs, Output, ProgramMonitor
from assay.adapters.sandbox.local.program_pipes import ProgramPipes, memory_file
from assay.adapters.sandbox.local.root import NETWORK_FILES, SessionMounts
from assay.adapters.sandbox.local.service_link import ServiceLink
from assay.adapters.sandbox.local.slot_folders import SlotFolders
from assay.domain.programs.sandbox import WORKSPACE, Limits

_REPORT_BYTES = 4096
_READABLE = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/etc/ld.so.cache", "/etc/alternatives"),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class ProgramError(Exception):
    """The sandbox could not run a program; never the program's fault."""


@dataclass(frozen=True, slots=True)
class ConfinementTerms:
    """How programs are confined in this slot."""

    mode: Mode
    bwrap: str
    has_group: bool

    def cpus(self, slot: int) -> frozenset[int]:
        """A single CPU without a control group: then CPU time cannot exceed wall time."""
        if self.has_group or self.mode == "unsafe":
            return frozenset()
        usable = sorted(os.sched_getaffinity(0))
        return frozenset({usable[slot % len(usable)]})


@dataclass(frozen=True, slots=True)
class SlotContext:
    """What the programs of one slot share."""

    folders: SlotFolders
    terms: ConfinementTerms
    meter: Meter
    link: ServiceLink


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What the programs of one session share."""

    mounts: SessionMounts = SessionMounts()
    env: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Command:
    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    limits: Limits
    stdin: bytes
    # Whether the workspace is read-only, as for the cases of a program.
    is_case: bool = False


def run(context: SlotContext, session: SessionContext, command: Command, *, spare: frozenset[int]) -> Frame:
    """Start a command, wait for its end, and kill all remaining processes."""
    with ProgramPipes(command.stdin) as pipes:
        context.meter.begin(command.limits)
        report, to_report = os.pipe2(os.O_CLOEXEC)
        pipes.keep(report)
        pipes.give(to_report)
        if context.terms.mode == "bubblewrap":
            child = _bubblewrap_child(context, session, command, pipes, report=to_report)
        else:
            child = replace(_plain_child(context, session, command, pipes), report=to_report)
        pid = start_process(child)
        pipes.close_given()
        monitor = _monitored(context, command.limits, pid, pipes)
        reaped = processes.reap_all(wanted=pid, spare=spare)
        monitor.inputs.stdout.drain()
        monitor.inputs.stderr.drain()
        return ended_frame(_ending(context, monitor, reaped, os.read(report, _REPORT_BYTES)), monitor)


def _monitored(context: SlotContext, limits: Limits, pid: int, pipes: ProgramPipes) -> ProgramMonitor:
    ended = os.pidfd_open(pid)
    try:
        inputs = MonitorInputs(
            stdout=Output(pipes.stdout, limits.stdout_bytes),
            stderr=Output(pipes.stderr, limits.stderr_bytes),
            ended=ended,
            control=context.link.control.fileno(),
            kill=lambda: signal.pidfd_send_signal(ended, signal.SIGKILL),
            is_canceled=context.link.is_canceled,
        )
        monitor = ProgramMonitor(inputs, limits, context.meter)
        monitor.wait()
        return monitor
    finally:
        os.close(ended)


def _ending(context: SlotContext, monitor: ProgramMonitor, reaped: processes.Reaped, report: bytes) -> Ending:
    is_out_of_memory = context.meter.is_out_of_memory()
    has_group = context.terms.has_group
    code, number = None, None
    if context.terms.mode != "bubblewrap":
        if report:
            raise ProgramError(report.decode(errors="replace"))
        code, number = of_wait_status(reaped.status or 0)
    elif (shell_code := _shell_code(report)) is not None:
        code, number = of_shell_code(shell_code)
    elif monitor.killed_for is None and not monitor.is_canceled and not is_out_of_memory:
        message = bytes(monitor.inputs.stderr.data).decode(errors="replace").strip()
        raise ProgramError(f"bubblewrap could not start the program: {message}")
    return Ending(
        exit_code=code,
        signal=number,
        cpu_s=context.meter.cpu_s() if has_group else reaped.cpu_s,
        peak_bytes=context.meter.peak_bytes() if has_group else reaped.peak_bytes,
        is_full=context.folders.is_full(),
        refused_forks=context.meter.refused_forks(),
        is_out_of_memory=is_out_of_memory,
    )


def _shell_code(report: bytes) -> int | None:
    """The exit code in bubblewrap's report, which it writes only if the program has started."""
    for line in report.splitlines():
        document: dict[str, int] = json.loads(line)
        if "exit-code" in document:
            return document["exit-code"]
    return None


def _bubblewrap_child(
    context: SlotContext, session: SessionContext, command: Command, pipes: ProgramPipes, *, report: int
) -> Child:
    code = pipes.give(memory_file(filter_code(context.terms)))
    view = SandboxView(
        folders=context.folders,
        env={**session.env, **command.env},
        cwd=os.path.join(WORKSPACE, command.cwd),  # noqa: PTH118 # a path inside, which may be absolute
        has_network=session.mounts.has_network,
    )
    argv = bubblewrap_arguments(context.terms.bwrap, view, report=report, filter_from=code)
    return Child(
        slot=context.folders.slot,
        argv=[*argv, *command.argv],
        stdio=pipes.stdio,
        limits=rlimits(command.limits, has_group=context.terms.has_group),
        keep=(report, code),
        cpus=context.terms.cpus(context.folders.slot.number),
    )


def filter_code(terms: ConfinementTerms) -> bytes:
    on = seccomp.machine()
    if on is None:
        raise ProgramError("there is no system call filter for this architecture")
    return seccomp.assembled(seccomp.Policy(has_sockets=True, is_uncounted=not terms.has_group), on)


def _plain_child(
    context: SlotContext, session: SessionContext, command: Command, pipes: ProgramPipes
) -> Child:
    """Without namespaces the program sees real paths and starts in the workspace."""
    folders, terms = context.folders, context.terms
    temporary = str(folders.files / "tmp")
    inside = os.path.relpath(command.cwd, WORKSPACE) if command.cwd.startswith("/") else command.cwd
    env = {**ENVIRONMENT, "HOME": temporary, "TMPDIR": temporary, **session.env, **command.env}
    names = NETWORK_FILES if session.mounts.has_network else ()
    rules = landlock.Rules(
        readable=[*_READABLE, *names, *(one.source for one in session.mounts.mounts), str(folders.files)],
        writable=[temporary, *_DEVICES, *(() if command.is_case else (str(folders.workspace),))],
        has_network=session.mounts.has_network,
    )
    is_confined = terms.mode == "landlock"
    policy = seccomp.Policy(has_sockets=session.mounts.has_network, is_uncounted=not terms.has_group)
    return Child(
        slot=folders.slot,
        argv=command.argv,
        stdio=pipes.stdio,
        limits=rlimits(
            command.limits, has_group=terms.has_group, others=processes.tasks_of(folders.slot.uid)
        ),
        cpus=terms.cpus(folders.slot.number),
        env=env,
        cwd=temporary if command.is_case else str(folders.workspace / inside),
        rules=rules if is_confined else None,
        policy=policy if is_confined else None,
    )
