"""Runs one command in the workspace."""

import json
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.adapters.sandbox.local import landlock, processes, seccomp
from assay.adapters.sandbox.local.conversation import Conversation
from assay.adapters.sandbox.local.ending import Ending, of_shell_code, of_wait_status, told
from assay.adapters.sandbox.local.frames import Frame
from assay.adapters.sandbox.local.launch import (
    ENVIRONMENT,
    Child,
    View,
    bubblewrap_arguments,
    rlimits,
    started,
)
from assay.adapters.sandbox.local.meter import Meter
from assay.adapters.sandbox.local.orders import Mode
from assay.adapters.sandbox.local.plumbing import Plumbing, memory_file
from assay.adapters.sandbox.local.root import NETWORK_FILES, Interior
from assay.adapters.sandbox.local.stage import Stage
from assay.adapters.sandbox.local.watch import Output, Vantage, Watch
from assay.domain.sandbox import WORKSPACE, Limits

_REPORT_BYTES = 4096
_READABLE = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/etc/ld.so.cache", "/etc/alternatives"),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class ProgramError(Exception):
    """The sandbox could not run a program; never the program's fault."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How programs are confined in this slot."""

    mode: Mode
    bwrap: str
    has_group: bool

    def cpus(self, slot: int) -> frozenset[int]:
        """Without a control group one CPU alone: then no spread over processes makes CPU time exceed time."""
        if self.has_group or self.mode == "unsafe":
            return frozenset()
        usable = sorted(os.sched_getaffinity(0))
        return frozenset({usable[slot % len(usable)]})


@dataclass(frozen=True, slots=True)
class Bench:
    """What the programs of one slot share."""

    stage: Stage
    terms: Terms
    meter: Meter
    talk: Conversation


@dataclass(frozen=True, slots=True)
class Setting:
    """What the programs of one session share."""

    interior: Interior = Interior()
    env: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Command:
    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    limits: Limits
    stdin: bytes
    # Whether the workspace may only be read, as the cases of one program do.
    is_case: bool = False


def run(bench: Bench, setting: Setting, command: Command, *, spare: frozenset[int]) -> Frame:
    """Start a command, watch it to its end, and leave none of its processes behind."""
    with Plumbing(command.stdin) as plumbing:
        bench.meter.begin(command.limits)
        report, to_report = os.pipe2(os.O_CLOEXEC)
        plumbing.keep(report)
        plumbing.give(to_report)
        if bench.terms.mode == "bubblewrap":
            child = _wrapped(bench, setting, command, plumbing, report=to_report)
        else:
            child = replace(_bare(bench, setting, command, plumbing), report=to_report)
        pid = started(child)
        plumbing.hand_over()
        watch = _watched(bench, command.limits, pid, plumbing)
        reaped = processes.reap_all(wanted=pid, spare=spare)
        watch.vantage.stdout.drain()
        watch.vantage.stderr.drain()
        return told(_ending(bench, watch, reaped, os.read(report, _REPORT_BYTES)), watch)


def _watched(bench: Bench, limits: Limits, pid: int, plumbing: Plumbing) -> Watch:
    ended = os.pidfd_open(pid)
    try:
        vantage = Vantage(
            stdout=Output(plumbing.stdout, limits.stdout_bytes),
            stderr=Output(plumbing.stderr, limits.stderr_bytes),
            ended=ended,
            control=bench.talk.control.fileno(),
            kill=lambda: signal.pidfd_send_signal(ended, signal.SIGKILL),
            is_canceled=bench.talk.is_canceled,
        )
        watch = Watch(vantage, limits, bench.meter)
        watch.wait()
        return watch
    finally:
        os.close(ended)


def _ending(bench: Bench, watch: Watch, reaped: processes.Reaped, report: bytes) -> Ending:
    is_out_of_memory = bench.meter.is_out_of_memory()
    has_group = bench.terms.has_group
    code, number = None, None
    if bench.terms.mode != "bubblewrap":
        if report:
            raise ProgramError(report.decode(errors="replace"))
        code, number = of_wait_status(reaped.status or 0)
    elif (shell_code := _shell_code(report)) is not None:
        code, number = of_shell_code(shell_code)
    elif watch.killed_for is None and not watch.is_canceled and not is_out_of_memory:
        message = bytes(watch.vantage.stderr.data).decode(errors="replace").strip()
        raise ProgramError(f"bubblewrap could not start the program: {message}")
    return Ending(
        exit_code=code,
        signal=number,
        cpu_s=bench.meter.cpu_s() if has_group else reaped.cpu_s,
        peak_bytes=bench.meter.peak_bytes() if has_group else reaped.peak_bytes,
        is_full=bench.stage.is_full(),
        refused_forks=bench.meter.refused_forks(),
        is_out_of_memory=is_out_of_memory,
    )


def _shell_code(report: bytes) -> int | None:
    """The exit code in bubblewrap's own report, which it only writes once the program has begun."""
    for line in report.splitlines():
        document: dict[str, int] = json.loads(line)
        if "exit-code" in document:
            return document["exit-code"]
    return None


def _wrapped(bench: Bench, setting: Setting, command: Command, plumbing: Plumbing, *, report: int) -> Child:
    code = plumbing.give(memory_file(filter_code(bench.terms)))
    view = View(
        stage=bench.stage,
        env={**setting.env, **command.env},
        cwd=os.path.join(WORKSPACE, command.cwd),  # noqa: PTH118 # a path inside, which may be absolute
        has_network=setting.interior.has_network,
    )
    argv = bubblewrap_arguments(bench.terms.bwrap, view, report=report, filter_from=code)
    return Child(
        slot=bench.stage.slot,
        argv=[*argv, *command.argv],
        stdio=plumbing.stdio,
        limits=rlimits(command.limits, has_group=bench.terms.has_group),
        keep=(report, code),
        cpus=bench.terms.cpus(bench.stage.slot.number),
    )


def filter_code(terms: Terms) -> bytes:
    on = seccomp.machine()
    if on is None:
        raise ProgramError("there is no system call filter for this architecture")
    return seccomp.assembled(seccomp.Policy(has_sockets=True, is_uncounted=not terms.has_group), on)


def _bare(bench: Bench, setting: Setting, command: Command, plumbing: Plumbing) -> Child:
    """Without namespaces the program sees real paths, and the workspace is where it is started."""
    stage, terms = bench.stage, bench.terms
    temporary = str(stage.files / "tmp")
    inside = os.path.relpath(command.cwd, WORKSPACE) if command.cwd.startswith("/") else command.cwd
    env = {**ENVIRONMENT, "HOME": temporary, "TMPDIR": temporary, **setting.env, **command.env}
    names = NETWORK_FILES if setting.interior.has_network else ()
    rules = landlock.Rules(
        readable=[*_READABLE, *names, *(one.source for one in setting.interior.mounts), str(stage.files)],
        writable=[temporary, *_DEVICES, *(() if command.is_case else (str(stage.workspace),))],
        has_network=setting.interior.has_network,
    )
    is_confined = terms.mode == "landlock"
    policy = seccomp.Policy(has_sockets=setting.interior.has_network, is_uncounted=not terms.has_group)
    return Child(
        slot=stage.slot,
        argv=command.argv,
        stdio=plumbing.stdio,
        limits=rlimits(command.limits, has_group=terms.has_group, others=processes.tasks_of(stage.slot.uid)),
        cpus=terms.cpus(stage.slot.number),
        env=env,
        cwd=temporary if command.is_case else str(stage.workspace / inside),
        rules=rules if is_confined else None,
        policy=policy if is_confined else None,
    )
