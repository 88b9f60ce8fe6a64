"""How a program ended."""

import json
import os
import signal
from dataclasses import dataclass

from assay.adapters.sandbox.local.frames import Frame
from assay.adapters.sandbox.local.messages import Ended
from assay.adapters.sandbox.local.monitor import ProgramMonitor
from assay.domain.programs.sandbox import Limits, Status

_SIGNALED = 128
_MOST_SIGNAL = 64


@dataclass(frozen=True, slots=True)
class Ending:
    """One of `exit_code` and `signal` is None; both are if we ended the program."""

    exit_code: int | None
    signal: int | None
    cpu_s: float
    peak_bytes: int | None
    is_full: bool = False
    refused_forks: bool = False
    is_out_of_memory: bool = False


def of_wait_status(status: int) -> tuple[int | None, int | None]:
    if os.WIFSIGNALED(status):
        return None, os.WTERMSIG(status)
    return os.WEXITSTATUS(status), None


def of_shell_code(code: int) -> tuple[int | None, int | None]:
    """Bubblewrap reports a signal as a shell does."""
    if _SIGNALED < code <= _SIGNALED + _MOST_SIGNAL:
        return None, code - _SIGNALED
    return code, None


def status_of(ending: Ending, monitor: ProgramMonitor) -> Status:
    if monitor.killed_for is not None:
        return monitor.killed_for
    if monitor.inputs.stdout.is_cut:
        return Status.OUTPUT_LIMIT
    if ending.exit_code == 0:
        return Status.OK
    return _limit_of(ending, monitor.limits, bytes(monitor.inputs.stderr.data)) or (
        Status.NONZERO if ending.signal is None else Status.SIGNAL
    )


def _limit_of(ending: Ending, limits: Limits, stderr: bytes) -> Status | None:
    """The limit that a failed program reached, if it can be determined."""
    last = stderr.rstrip().rpartition(b"\n")[2]
    is_over_cpu = ending.signal == signal.SIGKILL and ending.cpu_s > limits.cpu_s
    if ending.signal == signal.SIGXCPU or is_over_cpu:
        return Status.CPU_LIMIT
    if ending.is_out_of_memory or last.startswith(b"MemoryError"):
        return Status.MEMORY_LIMIT
    if ending.signal == signal.SIGXFSZ or ending.is_full or b"[Errno 27]" in last or b"[Errno 28]" in last:
        return Status.DISK_LIMIT
    if ending.refused_forks:
        return Status.PROCESS_LIMIT
    return None


def ended_frame(ending: Ending, monitor: ProgramMonitor) -> Frame:
    """The reply to the service."""
    if monitor.is_canceled:
        return Frame("canceled")
    stdout, stderr = monitor.inputs.stdout, monitor.inputs.stderr
    message = Ended(
        status=status_of(ending, monitor).value,
        exit_code=ending.exit_code,
        signal=ending.signal,
        stdout_bytes=len(stdout.data),
        truncated=stdout.is_cut or stderr.is_cut,
        cpu_s=ending.cpu_s,
        wall_s=monitor.wall_s,
        peak_bytes=ending.peak_bytes,
    )
    return Frame("ended", json.dumps(message), bytes(stdout.data) + bytes(stderr.data))
