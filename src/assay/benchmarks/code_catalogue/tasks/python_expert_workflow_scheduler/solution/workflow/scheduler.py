"""Plans the tasks of a workflow."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from workflow.model import CycleError, Schedule, Task


def schedule(tasks: Mapping[str, Task]) -> Schedule:
    """The earliest schedule of the tasks; raises ValueError, KeyError or CycleError."""
    before = {name: set(task.after) for name, task in tasks.items()}
    _check(tasks, before)
    after: dict[str, list[str]] = {name: [] for name in tasks}
    for name, dependencies in before.items():
        for dependency in dependencies:
            after[dependency].append(name)
    order = _smallest_order(before, after)
    if len(order) < len(tasks):
        raise CycleError(_cycle(before, set(tasks).difference(order)))

    start: dict[str, int] = {}
    finish: dict[str, int] = {}
    for name in order:
        start[name] = max((finish[dependency] for dependency in before[name]), default=0)
        finish[name] = start[name] + tasks[name].duration
    makespan = max(finish.values(), default=0)

    # From the start of a task to the end of the longest chain that begins with it.
    remaining: dict[str, int] = {}
    for name in reversed(order):
        longest = max((remaining[successor] for successor in after[name]), default=0)
        remaining[name] = tasks[name].duration + longest
    return Schedule(
        order=tuple(order),
        start=start,
        finish=finish,
        slack={name: makespan - start[name] - remaining[name] for name in order},
        makespan=makespan,
        critical_path=_critical_path(tasks, after, remaining, makespan),
    )


def _check(tasks: Mapping[str, Task], before: Mapping[str, set[str]]) -> None:
    for name, task in tasks.items():
        if task.duration < 0:
            raise ValueError(f"the duration of {name!r} is negative: {task.duration}")
    unknown = {one for dependencies in before.values() for one in dependencies if one not in tasks}
    if unknown:
        raise KeyError(min(unknown))


def _smallest_order(before: Mapping[str, set[str]], after: Mapping[str, list[str]]) -> list[str]:
    """The lexicographically smallest order; without the tasks behind a cycle, if there is one."""
    waiting = {name: len(dependencies) for name, dependencies in before.items()}
    ready = [name for name, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        name = heapq.heappop(ready)
        order.append(name)
        for successor in after[name]:
            waiting[successor] -= 1
            if waiting[successor] == 0:
                heapq.heappush(ready, successor)
    return order


def _cycle(before: Mapping[str, set[str]], left: set[str]) -> tuple[str, ...]:
    """A cycle among tasks of which each depends on another one of them."""
    position: dict[str, int] = {}
    walked: list[str] = []
    name = min(left)
    while name not in position:
        position[name] = len(walked)
        walked.append(name)
        name = next(one for one in before[name] if one in left)
    # The walk went from each task to one that it depends on.
    cycle = walked[position[name] :][::-1]
    first = cycle.index(min(cycle))
    return (*cycle[first:], *cycle[:first])


def _critical_path(
    tasks: Mapping[str, Task],
    after: Mapping[str, list[str]],
    remaining: Mapping[str, int],
    makespan: int,
) -> tuple[str, ...]:
    path: list[str] = []
    left = makespan
    following = list(tasks)
    # A path that could end here is smaller than each of its continuations.
    while left > 0:
        name = min(one for one in following if remaining[one] == left)
        path.append(name)
        left -= tasks[name].duration
        following = after[name]
    return tuple(path)
