"""What `janus-bench analyze` and `compare` find in reports."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.domain.stats import percentiles
from assay.engine.janus.report import BenchmarkReport, TaskResult

_SLOW = 2.0
# Parts and totals that two reports are compared by, and whether more is better.
_CATEGORIES = {
    "composite_score": True,
    "quality_score": True,
    "speed_score": True,
    "cost_score": True,
    "streaming_score": True,
    "multimodal_score": True,
    "avg_latency_seconds": False,
    "avg_ttft_seconds": False,
    "max_gap_seconds": False,
    "total_tokens": False,
    "total_cost_usd": False,
}


@dataclass(frozen=True, slots=True)
class Category:
    """`winner` is None where a figure is missing or both are equal; `delta` is the second less the first."""

    name: str
    first: float | None
    second: float | None
    delta: float | None
    winner: str | None


@dataclass(frozen=True, slots=True)
class Spread:
    p50: float
    p95: float
    mean: float
    n: int


@dataclass(frozen=True, slots=True)
class OddTask:
    """A task that failed, or took more than twice as long as the median."""

    task_id: str
    benchmark: str
    latency_seconds: float
    error: str | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """Spreads are over the tasks that were answered; None where no task has the figure."""

    run_id: str
    model: str
    suite: str
    ttft_seconds: Spread | None
    tokens_per_second: Spread | None
    latency_seconds: Spread | None
    continuity: Spread | None
    total_tokens: int | None
    total_cost_usd: float | None
    tasks_by_benchmark: Mapping[str, int]
    failed_tasks: Sequence[OddTask]
    slow_tasks: Sequence[OddTask]


def analysis(report: BenchmarkReport) -> Analysis:
    tasks = [one for one in report.results if one.success]
    median_s = statistics.median([one.latency_seconds for one in tasks]) if tasks else 0.0
    slow = [one for one in tasks if one.latency_seconds > _SLOW * median_s]
    return Analysis(
        run_id=report.run_id,
        model=report.model,
        suite=report.suite,
        ttft_seconds=_spread([_ttft(one) for one in tasks]),
        tokens_per_second=_spread([one.tokens_per_second for one in tasks]),
        latency_seconds=_spread([one.latency_seconds for one in tasks]),
        continuity=_spread([_continuity(one) for one in tasks]),
        total_tokens=report.total_tokens,
        total_cost_usd=report.total_cost_usd,
        tasks_by_benchmark=Counter(one.benchmark for one in report.results),
        failed_tasks=[_odd(one) for one in report.results if not one.success],
        slow_tasks=[_odd(one) for one in sorted(slow, key=lambda one: -one.latency_seconds)],
    )


def _odd(task: TaskResult) -> OddTask:
    return OddTask(task.task_id, task.benchmark, task.latency_seconds, task.error)


def compared(first: BenchmarkReport, second: BenchmarkReport) -> tuple[Category, ...]:
    return tuple(
        _category(name, getattr(first, name), getattr(second, name), more_is_better=more)
        for name, more in _CATEGORIES.items()
    )


def differing(first: BenchmarkReport, second: BenchmarkReport) -> str:
    """Why the reports cannot be compared task by task; empty if they have the same tasks."""
    ours, theirs = ({(one.benchmark, one.task_id) for one in each.results} for each in (first, second))
    if first.suite != second.suite:
        return f"the suites differ: {first.suite} and {second.suite}"
    if ours != theirs:
        return f"the tasks differ: {len(ours & theirs):,} of {len(ours | theirs):,} are in both reports"
    if first.weights != second.weights:
        return "the weights differ"
    return ""


def _category(name: str, first: float | None, second: float | None, *, more_is_better: bool) -> Category:
    if first is None or second is None:
        return Category(name, first, second, None, None)
    delta = second - first
    winner = None if delta == 0 else "second" if (delta > 0) is more_is_better else "first"
    return Category(name, first, second, delta, winner)


def _spread(values: Sequence[float | None]) -> Spread | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    found = percentiles(known, (50.0, 95.0))
    return Spread(found[50.0], found[95.0], statistics.fmean(known), len(known))


def _ttft(task: TaskResult) -> float | None:
    return task.streaming_metrics.ttft_seconds if task.streaming_metrics else None


def _continuity(task: TaskResult) -> float | None:
    return task.streaming_metrics.continuity_score if task.streaming_metrics else None
