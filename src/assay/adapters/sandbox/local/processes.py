"""Finds descendants in /proc, and kills and reaps them."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_REAPING_S = 10.0
_GLANCE_S = 0.1
# Fields of /proc/PID/stat after the command: utime, stime, cutime, cstime.
_FIRST_TIME, _LAST_TIME = 11, 15


@dataclass(slots=True)
class Reaped:
    """Resource usage of the processes that were reaped."""

    cpu_s: float = 0.0
    peak_bytes: int = 0
    status: int | None = None


class StuckError(Exception):
    """Processes did not end in time."""


def children(pid: int) -> list[int]:
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def descendants(pid: int) -> Iterator[int]:
    for child in children(pid):
        yield child
        yield from descendants(child)


def ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return
        pid = int(fields[1])
        yield pid


def cpu_s(pid: int) -> float:
    """CPU time of a process and of the children that it has waited for."""
    with contextlib.suppress(OSError, ValueError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[_FIRST_TIME:_LAST_TIME])) / _TICKS_PER_S
    return 0.0


def proportional_bytes(pid: int) -> int:
    """Memory of a process, with shared memory divided among those that share it (PSS)."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def tasks_of(uid: int) -> int:
    """How many processes and threads a user has, as the kernel counts them against the limit."""
    count = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if entry.stat().st_uid == uid:
                    count += sum(1 for _ in (entry / "task").iterdir())
    return count


def reap_all(*, wanted: int, spare: frozenset[int] = frozenset()) -> Reaped:
    """Kill and wait for every child except those in `spare`, including orphans of the program."""
    found = Reaped()
    deadline = time.monotonic() + _REAPING_S
    while living := [pid for pid in children(os.getpid()) if pid not in spare]:
        for pid in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended = [_reaped(pid, wanted, found) for pid in living]
        if not any(ended):
            if time.monotonic() > deadline:
                raise StuckError(f"processes {living} did not end")
            _await(living[0], timeout_s=_GLANCE_S)
    return found


def _await(child: int, *, timeout_s: float) -> None:
    """Return when a child has ended, or after the timeout."""
    watched = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(watched, select.POLLIN)
        poll.poll(timeout_s * 1000)
    finally:
        os.close(watched)


def _reaped(pid: int, wanted: int, found: Reaped) -> bool:
    try:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
    except ChildProcessError:
        return True
    if not ended:
        return False
    found.cpu_s += usage.ru_utime + usage.ru_stime
    found.peak_bytes = max(found.peak_bytes, usage.ru_maxrss * 1024)
    if ended == wanted:
        found.status = status
    return True
