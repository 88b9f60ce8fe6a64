"""Processor time of processes, with that of their children, as Linux counts it."""

import os
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# Places among the fields after the name: the parent, and the times of the process and its ended children.
_PARENT, _TIMES = 1, slice(11, 15)


def processor_s(process_id: int) -> float:
    """Seconds of the process and all its descendants, those that have ended included."""
    parents, ticks = _processes()
    members = {process_id}
    while found := {child for child, parent in parents.items() if parent in members} - members:
        members |= found
    return sum(ticks.get(member, 0) for member in members) / _TICKS_PER_S


def resident_mb(process_id: int) -> float:
    """Memory of the process alone."""
    pages = int(Path(f"/proc/{process_id}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _processes() -> tuple[dict[int, int], dict[int, int]]:
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # It has ended meanwhile.
        # The name before the last parenthesis may hold anything.
        fields = stat.rpartition(")")[2].split()
        parents[int(folder.name)] = int(fields[_PARENT])
        ticks[int(folder.name)] = sum(map(int, fields[_TIMES]))
    return parents, ticks
