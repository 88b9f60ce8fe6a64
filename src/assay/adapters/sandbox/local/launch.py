"""Starts a program: the command line of bubblewrap, and what a child process does before exec."""

import contextlib
import math
import os
import resource
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from assay.adapters.sandbox.local import landlock, linux, seccomp
from assay.adapters.sandbox.local.slot_folders import SlotFolders
from assay.adapters.sandbox.local.slots import MARK, Slot
from assay.domain.programs.sandbox import MIB, WORKSPACE, Limits

_STACK_BYTES = 8 * MIB
_LOCKED_BYTES = 64 * 1024
# bubblewrap's own two processes count towards the user's process limit.
_OVERHEAD_PROCESSES = 4
_FAILED = 126
_STANDARD = 3
_MOST_DESCRIPTORS = 1 << 20

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108 # the program's own
    "TMPDIR": "/tmp",  # noqa: S108
    "LANG": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


@dataclass(frozen=True, slots=True)
class SandboxView:
    """What a program sees; a zygote is trusted code, which keeps the right to create namespaces."""

    folders: SlotFolders
    env: Mapping[str, str]
    cwd: str = WORKSPACE
    is_zygote: bool = False
    has_network: bool = False


def bubblewrap_arguments(
    bwrap: str, view: SandboxView, *, report: int | None, filter_from: int | None
) -> list[str]:
    """The command line before the program's own."""
    arguments = [bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    arguments += ["--hostname", "sandbox", "--uid", "1000", "--gid", "1000"]
    if report is not None:
        arguments += ["--json-status-fd", str(report)]
    if view.has_network:
        arguments.append("--share-net")
    if filter_from is not None:
        arguments += ["--seccomp", str(filter_from)]
    # With devices: everything that must not be a device was mounted with nodev.
    arguments += ["--dev-bind", str(view.folders.root.folder), "/"]
    if view.folders.has_proc:
        arguments += ["--proc", "/proc"]
    if view.is_zygote:
        arguments += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
        # Each case mounts its own temporary folders over these.
        for folder in ("/tmp", "/dev/shm", WORKSPACE):  # noqa: S108
            arguments += ["--remount-ro", folder]
    for name, value in {**ENVIRONMENT, **view.env}.items():
        arguments += ["--setenv", name, value]
    return [*arguments, "--chdir", view.cwd, "--"]


def rlimits(limits: Limits, *, has_group: bool, others: int = 0) -> list[tuple[int, int, int]]:
    """Soft and hard limits per process.

    Memory is limited only without a control group, since reserved memory is not used memory. The limit on CPU
    time is a second one behind the monitor's: the kernel counts whole ticks for it, which on a busy virtual
    machine are more than the time that the program had. `others` counts processes of the same user that do
    not belong to the program.
    """
    found = [
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, limits.processes + others + _OVERHEAD_PROCESSES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, _LOCKED_BYTES),
        (resource.RLIMIT_STACK, _STACK_BYTES),
    ]
    if not has_group:
        found.append((resource.RLIMIT_DATA, limits.memory_bytes))
    cpu_s = 2 * math.ceil(limits.cpu_s) + 1
    # The soft limit sends SIGXCPU, which tells this end from others; the hard one kills.
    cpu = (
        resource.RLIMIT_CPU,
        _at_most(resource.RLIMIT_CPU, cpu_s),
        _at_most(resource.RLIMIT_CPU, cpu_s + 1),
    )
    return [cpu, *((name, _at_most(name, value), _at_most(name, value)) for name, value in found)]


def _at_most(name: int, value: int) -> int:
    hard = resource.getrlimit(name)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


@dataclass(frozen=True, slots=True)
class Child:
    """A process to start; `keep` are descriptors that it inherits besides the standard streams."""

    slot: Slot
    argv: Sequence[str]
    stdio: tuple[int, int, int]
    limits: Sequence[tuple[int, int, int]] = ()
    keep: tuple[int, ...] = ()
    cpus: frozenset[int] = frozenset()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str = "/"
    rules: landlock.Rules | None = None
    policy: seccomp.Policy | None = None
    # A failure to start is written here; closed by exec.
    report: int = 2
    # Trusted code should not be killed first when memory runs out.
    is_trusted: bool = False


def start_process(child: Child) -> int:
    """Fork and exec; returns the pid of the new process. Safe because a supervisor has one thread."""
    pid = os.fork()
    if pid:
        return pid
    try:
        _become(child)
    except BaseException as error:  # noqa: BLE001 # the child must not return into the supervisor's loop
        with contextlib.suppress(OSError):
            os.write(child.report, f"cannot start the program: {error}".encode())
        os._exit(_FAILED)


def _become(child: Child) -> NoReturn:
    linux.die_with_parent(signal.SIGKILL)
    os.setsid()
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    for standard, descriptor in enumerate(child.stdio):
        os.dup2(descriptor, standard)
    _close_all_but((*child.keep, child.report))
    for descriptor in child.keep:
        os.set_inheritable(descriptor, True)  # noqa: FBT003
    if child.cpus:
        os.sched_setaffinity(0, child.cpus)
    if not child.is_trusted:
        _prefer_for_oom_kill()
    _become_user(child.slot)
    os.chdir(child.cwd)
    for name, soft, hard in child.limits:
        resource.setrlimit(name, (soft, hard))
    _confine(child)
    os.execvpe(child.argv[0], list(child.argv), {**child.env, MARK: child.slot.name})  # noqa: S606


def _close_all_but(kept: Sequence[int]) -> None:
    """Close all descriptors except the standard streams and `kept`."""
    start = _STANDARD
    for descriptor in sorted(kept):
        os.closerange(start, descriptor)
        start = max(start, descriptor + 1)
    os.closerange(start, _MOST_DESCRIPTORS)


def _prefer_for_oom_kill() -> None:
    adjustment = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(adjustment, b"1000")
    os.close(adjustment)


def _confine(child: Child) -> None:
    """Restrict a program that shares the service's namespaces."""
    if child.rules is not None:
        landlock.confine(child.rules)
    if child.policy is not None:
        linux.set_no_new_privileges()
        on = seccomp.machine()
        assert on is not None  # noqa: S101 # the probe refused every other machine
        linux.install_filter(seccomp.assembled(replace(child.policy, own_pid=os.getpid()), on))


def _become_user(slot: Slot) -> None:
    if os.getuid() != 0:
        return
    os.setgroups([])
    os.setresgid(slot.gid, slot.gid, slot.gid)
    os.setresuid(slot.uid, slot.uid, slot.uid)
    if os.getuid() == 0:
        raise PermissionError("refusing to run a program as root")
