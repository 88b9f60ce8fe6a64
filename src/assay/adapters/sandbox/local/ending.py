"""How a program ended, from what was seen of it."""

import json
import os
import signal
from dataclasses import dataclass

from assay.adapters.sandbox.local.frames import Frame
from assay.adapters.sandbox.local.orders import Ended
from assay.adapters.sandbox.local.watch import Watch
from assay.domain.sandbox import Status

_SIGNALED = 128
_MOST_SIGNAL = 64


@dataclass(frozen=True, slots=True)
class Ending:
    """`exit_code` or `signal` is None where the other one ended it, or where we did."""

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
    """Bubblewrap tells of a signal as a shell does."""
    if _SIGNALED < code <= _SIGNALED + _MOST_SIGNAL:
        return None, code - _SIGNALED
    return code, None


def status_of(ending: Ending, watch: Watch) -> Status:
    if watch.killed_for is not None:
        return watch.killed_for
    if watch.vantage.stdout.is_cut:
        return Status.OUTPUT_LIMIT
    if ending.exit_code == 0:
        return Status.OK
    return _limit_of(ending, bytes(watch.vantage.stderr.data)) or (
        Status.NONZERO if ending.signal is None else Status.SIGNAL
    )


def _limit_of(ending: Ending, stderr: bytes) -> Status | None:
    """The limit that a failed program met, as far as that can be told."""
    last = stderr.rstrip().rpartition(b"\n")[2]
    if ending.signal == signal.SIGXCPU:
        return Status.CPU_LIMIT
    if ending.is_out_of_memory or last.startswith(b"MemoryError"):
        return Status.MEMORY_LIMIT
    if ending.signal == signal.SIGXFSZ or ending.is_full or b"[Errno 27]" in last or b"[Errno 28]" in last:
        return Status.DISK_LIMIT
    if ending.refused_forks:
        return Status.PROCESS_LIMIT
    return None


def told(ending: Ending, watch: Watch) -> Frame:
    """The reply to the service."""
    if watch.is_canceled:
        return Frame("canceled")
    stdout, stderr = watch.vantage.stdout, watch.vantage.stderr
    message = Ended(
        status=status_of(ending, watch).value,
        exit_code=ending.exit_code,
        signal=ending.signal,
        stdout_bytes=len(stdout.data),
        truncated=stdout.is_cut or stderr.is_cut,
        cpu_s=ending.cpu_s,
        wall_s=watch.wall_s,
        peak_bytes=ending.peak_bytes,
    )
    return Frame("ended", json.dumps(message), bytes(stdout.data) + bytes(stderr.data))
