"""A control group per slot: measures and limits all of a program's processes together."""

import contextlib
import errno
import os
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assay.adapters.sandbox.local import processes

_NEEDED_V1 = ("memory", "pids", "cpuacct")
_NEEDED_V2 = ("memory", "pids", "cpu")
_SERVICE = "assay-service"
_REMOVAL_S = 2.0
_RETRY_S = 0.01


class Group(Protocol):
    @property
    def folders(self) -> list[Path]: ...

    def enter(self) -> None: ...

    def leave(self) -> None: ...

    def limit(self, *, memory_bytes: int, processes: int) -> None: ...

    def cpu_s(self) -> float: ...

    def memory_bytes(self) -> int: ...

    def reset_peak(self) -> None: ...

    def peak_bytes(self) -> int | None: ...

    def processes(self) -> int: ...

    def out_of_memory(self) -> int:
        """How many processes were killed for lack of memory so far."""
        ...

    def refused_forks(self) -> int: ...


@dataclass(frozen=True, slots=True)
class MountedController:
    """Where a hierarchy is mounted, and our own group in it."""

    mounted_at: Path
    own: Path
    controllers: frozenset[str]
    is_unified: bool


def mounted_controllers(mountinfo: str, cgroup: str) -> list[MountedController]:
    """Read from the text of /proc/self/mountinfo and /proc/self/cgroup."""
    own_paths = _own_paths(cgroup)
    found: list[MountedController] = []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind not in ("cgroup", "cgroup2"):
            continue
        root, mounted_at = before.split(" ")[3:5]
        is_unified = kind == "cgroup2"
        names = frozenset[str]() if is_unified else frozenset(options.rpartition(" ")[2].split(","))
        own = own_paths.get("") if is_unified else _named(own_paths, names)
        if own is not None:
            folder = Path(mounted_at) / os.path.relpath(own, root)
            found.append(MountedController(Path(mounted_at), folder, names, is_unified))
    return found


def _own_paths(cgroup: str) -> dict[str, str]:
    paths: dict[str, str] = {}
    for line in cgroup.splitlines():
        _, names, path = line.split(":", 2)
        paths |= dict.fromkeys(names.split(","), path)
    return paths


def _named(paths: dict[str, str], names: frozenset[str]) -> str | None:
    return next((paths[name] for name in names if name in paths), None)


def new_group(name: str) -> Group | None:
    """A new group below our own; None if this process may not create one."""
    mounted = mounted_controllers(
        Path("/proc/self/mountinfo").read_text(), Path("/proc/self/cgroup").read_text()
    )
    with contextlib.suppress(OSError):
        return _first_version(mounted, name) or _second_version(mounted, name)
    return None


def _first_version(mounted: Iterable[MountedController], name: str) -> Group | None:
    parents = {controller: one.own for one in mounted for controller in one.controllers if not one.is_unified}
    if not all(controller in parents for controller in _NEEDED_V1):
        return None
    folders = {controller: parents[controller] / name for controller in _NEEDED_V1}
    for folder in folders.values():
        folder.mkdir(exist_ok=True)
    return FirstVersionGroup(folders["memory"], folders["pids"], folders["cpuacct"])


def _second_version(mounted: Iterable[MountedController], name: str) -> Group | None:
    one = next((one for one in mounted if one.is_unified), None)
    if one is None:
        return None
    # An earlier supervisor may have moved the service.
    own = one.own.parent if one.own.name == _SERVICE else one.own
    if not set(_NEEDED_V2) <= set((own / "cgroup.controllers").read_text().split()):
        return None
    delegate(own, related_processes())
    folder = own / name
    folder.mkdir(exist_ok=True)
    return SecondVersionGroup(folder)


def delegate(own: Path, movable: frozenset[int]) -> None:
    """Allow limits in child groups, which requires a group without processes of its own.

    Raises OSError if the group also holds processes that we may not move.
    """
    switch = own / "cgroup.subtree_control"
    if set(_NEEDED_V2) <= set(switch.read_text().split()):
        return
    present = [int(pid) for pid in (own / "cgroup.procs").read_text().split()]
    if not movable.issuperset(present):
        raise PermissionError(errno.EPERM, "the control group holds processes of other programs")
    inner = own / _SERVICE
    inner.mkdir(exist_ok=True)
    for pid in present:
        with contextlib.suppress(ProcessLookupError):
            (inner / "cgroup.procs").write_text(str(pid))
    switch.write_text(" ".join(f"+{one}" for one in _NEEDED_V2))


def related_processes() -> frozenset[int]:
    """The service, its ancestors and its descendants."""
    service = os.getppid()
    ancestors = processes.ancestors(service)
    return frozenset({service, *ancestors, *processes.descendants(service)})


def remove_groups(folders: Iterable[Path]) -> None:
    """Kill the remaining processes of the groups and remove the groups."""
    deadline = time.monotonic() + _REMOVAL_S
    for folder in folders:
        while folder.is_dir():
            for pid in _pids(folder):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            try:
                folder.rmdir()
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > deadline:
                    break
                time.sleep(_RETRY_S)


def _pids(folder: Path) -> list[int]:
    with contextlib.suppress(OSError):
        return [pid for pid in map(int, (folder / "cgroup.procs").read_text().split()) if pid != os.getpid()]
    return []


def _text(path: Path) -> str:
    """The text of a kernel file; several are read for every case, and this is the fastest way."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 4096).decode()
    finally:
        os.close(descriptor)


def _count(path: Path, name: str) -> int:
    for line in _text(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


@dataclass(frozen=True, slots=True)
class FirstVersionGroup:
    memory: Path
    pids: Path
    cpuacct: Path

    @property
    def folders(self) -> list[Path]:
        return [self.memory, self.pids, self.cpuacct]

    def enter(self) -> None:
        for folder in self.folders:
            (folder / "cgroup.procs").write_text("0")

    def leave(self) -> None:
        for folder in self.folders:
            (folder.parent / "cgroup.procs").write_text("0")

    def limit(self, *, memory_bytes: int, processes: int) -> None:
        (self.pids / "pids.max").write_text(str(processes))
        limits = [self.memory / "memory.limit_in_bytes", self.memory / "memory.memsw.limit_in_bytes"]
        # The limit with swap may never be below the limit without, so the order depends on the direction.
        if memory_bytes > int(limits[0].read_text()):
            limits.reverse()
        for path in limits:
            if path.exists():
                path.write_text(str(memory_bytes))

    def cpu_s(self) -> float:
        return int(_text(self.cpuacct / "cpuacct.usage")) / 1e9

    def memory_bytes(self) -> int:
        return int(_text(self.memory / "memory.usage_in_bytes"))

    def reset_peak(self) -> None:
        (self.memory / "memory.max_usage_in_bytes").write_text("0")

    def peak_bytes(self) -> int | None:
        return int(_text(self.memory / "memory.max_usage_in_bytes"))

    def processes(self) -> int:
        return int(_text(self.pids / "pids.current"))

    def out_of_memory(self) -> int:
        return _count(self.memory / "memory.oom_control", "oom_kill")

    def refused_forks(self) -> int:
        return _count(self.pids / "pids.events", "max")


@dataclass(frozen=True, slots=True)
class SecondVersionGroup:
    folder: Path

    @property
    def folders(self) -> list[Path]:
        return [self.folder]

    def enter(self) -> None:
        (self.folder / "cgroup.procs").write_text("0")

    def leave(self) -> None:
        service = self.folder.parent / _SERVICE
        (service if service.is_dir() else self.folder.parent).joinpath("cgroup.procs").write_text("0")

    def limit(self, *, memory_bytes: int, processes: int) -> None:
        (self.folder / "memory.max").write_text(str(memory_bytes))
        swap = self.folder / "memory.swap.max"
        if swap.exists():
            swap.write_text("0")
        (self.folder / "pids.max").write_text(str(processes))

    def cpu_s(self) -> float:
        return _count(self.folder / "cpu.stat", "usage_usec") / 1e6

    def memory_bytes(self) -> int:
        return int(_text(self.folder / "memory.current"))

    def reset_peak(self) -> None:
        # Only kernels from 6.12 on can reset it, and a peak over the slot's whole lifetime is useless.
        return

    def peak_bytes(self) -> int | None:
        return None

    def processes(self) -> int:
        return int(_text(self.folder / "pids.current"))

    def out_of_memory(self) -> int:
        return _count(self.folder / "memory.events", "oom_kill")

    def refused_forks(self) -> int:
        return _count(self.folder / "pids.events", "max")
