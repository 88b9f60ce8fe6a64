"""What all processes of a program together have used so far."""

import os
import time
from dataclasses import dataclass
from typing import Protocol

from assay.adapters.sandbox.local import processes
from assay.adapters.sandbox.local.groups import Group
from assay.domain.programs.sandbox import MIB, Limits, Status

# A group's limit is written again only if it differs by more than this.
_SLACK_BYTES = 2 * MIB
# bubblewrap's own processes, which are in the program's group.
_OVERHEAD_PROCESSES = 2


class Meter(Protocol):
    def begin(self, limits: Limits) -> None: ...

    def cpu_s(self) -> float: ...

    def exceeded(self) -> Status | None:
        """The limit on all processes together that has been exceeded, or None."""
        ...

    def is_out_of_memory(self) -> bool: ...

    def refused_forks(self) -> bool: ...

    def peak_bytes(self) -> int | None: ...


@dataclass(slots=True)
class GroupMeter:
    """Reads the slot's control group, less the share of the supervisor, which is in it too."""

    group: Group
    _limits: Limits = Limits()
    _written: tuple[int, int] = (0, 0)
    _cpu_s: float = 0.0
    _own_cpu_s: float = 0.0
    _baseline: int = 0
    _killed: int = 0
    _refused: int = 0

    def begin(self, limits: Limits) -> None:
        group = self.group
        self._limits = limits
        self._baseline = group.memory_bytes()
        processes_allowed = group.processes() + limits.processes + _OVERHEAD_PROCESSES
        wanted = (self._baseline + limits.memory_bytes, processes_allowed)
        if wanted[1] != self._written[1] or abs(wanted[0] - self._written[0]) > _SLACK_BYTES:
            group.limit(memory_bytes=wanted[0], processes=wanted[1])
            self._written = wanted
        group.reset_peak()
        self._killed, self._refused = group.out_of_memory(), group.refused_forks()
        self._cpu_s, self._own_cpu_s = group.cpu_s(), time.process_time()

    def cpu_s(self) -> float:
        own = time.process_time() - self._own_cpu_s
        return max(0.0, self.group.cpu_s() - self._cpu_s - own)

    def exceeded(self) -> Status | None:
        if self.is_out_of_memory():
            return Status.MEMORY_LIMIT
        return Status.CPU_LIMIT if self.cpu_s() > self._limits.cpu_s else None

    def is_out_of_memory(self) -> bool:
        return self.group.out_of_memory() > self._killed

    def refused_forks(self) -> bool:
        return self.group.refused_forks() > self._refused

    def peak_bytes(self) -> int | None:
        peak = self.group.peak_bytes()
        return None if peak is None else max(0, peak - self._baseline)


@dataclass(slots=True)
class TreeMeter:
    """Sums up our descendants in /proc, where there are no control groups.

    It sees a process only if it is alive at a reading, or after its parent has waited for it.
    """

    _limits: Limits = Limits()
    _cpu_s: float = 0.0
    _others: tuple[int, ...] = ()
    _baseline: int = 0
    _peak: int = 0

    def begin(self, limits: Limits) -> None:
        self._limits = limits
        self._cpu_s, self._peak = self._total_cpu_s(), 0
        others = tuple(processes.descendants(os.getpid()))
        if others != self._others:
            # Read once: these processes only wait while nothing runs, and reading their usage is slow.
            self._others, self._baseline = others, self._total_bytes()

    def cpu_s(self) -> float:
        return max(0.0, self._total_cpu_s() - self._cpu_s)

    def exceeded(self) -> Status | None:
        if self.cpu_s() > self._limits.cpu_s:
            return Status.CPU_LIMIT
        self._peak = max(self._peak, self._total_bytes() - self._baseline)
        return Status.MEMORY_LIMIT if self.is_out_of_memory() else None

    def is_out_of_memory(self) -> bool:
        return self._peak > self._limits.memory_bytes

    def refused_forks(self) -> bool:
        return False

    def peak_bytes(self) -> int | None:
        return None

    def _total_cpu_s(self) -> float:
        return sum(map(processes.cpu_s, processes.descendants(os.getpid())))

    def _total_bytes(self) -> int:
        return sum(map(processes.proportional_bytes, processes.descendants(os.getpid())))
