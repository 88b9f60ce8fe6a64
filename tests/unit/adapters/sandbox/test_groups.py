"""Control groups of both versions, as files."""

import os
from pathlib import Path

import pytest

from assay.adapters.sandbox.local.groups import (
    FirstVersionGroup,
    MountedController,
    SecondVersionGroup,
    delegate,
    mounted_controllers,
    related_processes,
)

HYBRID = """\
22 1 0:20 / /proc rw shared:5 - proc proc rw
30 25 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
32 25 0:28 /docker/abc /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
"""
OWN = """\
4:memory:/service/a
3:cpu,cpuacct:/
2:pids:/docker/abc/inner
0::/session
"""


def test_where_hierarchies_are_mounted() -> None:
    found = {str(one.mounted_at): one for one in mounted_controllers(HYBRID, OWN)}
    assert found["/sys/fs/cgroup/memory"].own == Path("/sys/fs/cgroup/memory/service/a")
    assert "cpuacct" in found["/sys/fs/cgroup/cpu,cpuacct"].controllers
    assert found["/sys/fs/cgroup/pids"].own == Path("/sys/fs/cgroup/pids/inner")
    unified = found["/sys/fs/cgroup/unified"]
    assert (unified.is_unified, unified.own) == (True, Path("/sys/fs/cgroup/unified/session"))
    assert isinstance(unified, MountedController)


def test_limits_below_our_own_group(tmp_path: Path) -> None:
    (tmp_path / "cgroup.subtree_control").write_text("cpu\n")
    (tmp_path / "cgroup.procs").write_text(f"{os.getpid()}\n{os.getppid()}\n")
    delegate(tmp_path, related_processes() | {os.getpid()})
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    assert (tmp_path / "assay-service" / "cgroup.procs").read_text() == str(os.getppid())
    (tmp_path / "cgroup.subtree_control").write_text("cpu memory pids\n")
    delegate(tmp_path, frozenset())


def test_processes_of_others_are_not_moved(tmp_path: Path) -> None:
    (tmp_path / "cgroup.subtree_control").write_text("")
    (tmp_path / "cgroup.procs").write_text(f"{os.getpid()}\n999999\n")
    with pytest.raises(PermissionError):
        delegate(tmp_path, related_processes() | {os.getpid()})
    assert not (tmp_path / "assay-service").exists()


def test_second_version(tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    (tmp_path / "memory.events").write_text("low 0\noom 3\noom_kill 2\n")
    (tmp_path / "pids.events").write_text("max 4\n")
    (tmp_path / "memory.swap.max").write_text("max")
    group = SecondVersionGroup(tmp_path)
    group.limit(memory_bytes=1000, processes=7)
    assert (tmp_path / "memory.max").read_text() == "1000"
    assert (tmp_path / "memory.swap.max").read_text() == "0"
    assert (tmp_path / "pids.max").read_text() == "7"
    assert (group.cpu_s(), group.out_of_memory(), group.refused_forks()) == (2.5, 2, 4)


def test_first_version(tmp_path: Path) -> None:
    (tmp_path / "cpuacct.usage").write_text("1500000000\n")
    (tmp_path / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 5\n")
    (tmp_path / "pids.events").write_text("max 1\n")
    (tmp_path / "memory.limit_in_bytes").write_text("500\n")
    (tmp_path / "memory.memsw.limit_in_bytes").write_text("500\n")
    group = FirstVersionGroup(tmp_path, tmp_path, tmp_path)
    group.limit(memory_bytes=900, processes=3)
    assert (tmp_path / "memory.limit_in_bytes").read_text() == "900"
    assert (tmp_path / "memory.memsw.limit_in_bytes").read_text() == "900"
    assert (group.cpu_s(), group.out_of_memory(), group.refused_forks()) == (1.5, 5, 1)
