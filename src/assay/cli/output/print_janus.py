"""Reports of `janus-bench` for people."""

from collections.abc import Mapping, Sequence

import typer

from assay.cli.output.write import duration_text, write_note, write_table
from assay.domain.stats import plural
from assay.engine.janus.analysis import Analysis, Category
from assay.engine.janus.report import BenchmarkReport, CompositeReport, TaskResult
from assay.engine.results.measures import Measure

_MEASURES: Mapping[str, tuple[str, float]] = {
    "latency_ms": ("latency, s", 1000.0),
    "ttft_ms": ("first token, s", 1000.0),
    "ttfat_ms": ("first of the answer, s", 1000.0),
    "max_gap_ms": ("longest gap, s", 1000.0),
    "tokens_per_s": ("tokens/s", 1.0),
    "continuity": ("continuity", 1.0),
}
_COLUMNS = ("MEAN", "P50", "P90", "P99", "MAX", "REPEATS", "N")


def print_report(report: BenchmarkReport) -> None:
    typer.echo("")
    where = f" at {report.target_url}" if report.target_url else ""
    write_note(f"{report.model} on {report.suite}{where}")
    if report.composite is not None:
        write_note(report.composite.sentence, indent="  ")
        typer.echo("")
        print_parts(report.composite)
    for benchmark, measures in report.benchmark_metrics.items():
        print_measures(benchmark, measures)
    typer.echo("")
    write_table(_TASK_COLUMNS, [_task_row(one) for one in report.results], folded=("ERROR",))
    typer.echo("")
    write_note(f"{report.passed_tasks:,} of {plural(report.total_tasks, 'task')} passed")


def print_parts(found: CompositeReport) -> None:
    rows = [
        (
            name,
            _number(None if part.value is None else 100 * part.value, 1),
            _number(found.weights.get(name), 0),
            _number(part.points, 1),
            f"{part.n:,} of {part.total:,}",
            part.note,
        )
        for name, part in found.parts.items()
    ]
    write_table(("PART", "OF 100", "WEIGHT", "POINTS", "KNOWN", "NOTE"), rows, folded=("NOTE",))


def print_measures(benchmark: str, measures: Mapping[str, Measure]) -> None:
    """Nothing for a benchmark without replies."""
    rows = [
        (
            title,
            *(_number(value / scale, 2) for value in (one.mean, one.p50, one.p90, one.p99, one.max)),
            _number(None if one.repeat_sd is None else one.repeat_sd / scale, 2),
            str(one.n),
        )
        for name, (title, scale) in _MEASURES.items()
        if (one := measures.get(name)) is not None
    ]
    if rows:
        typer.echo("")
        write_table((benchmark.upper(), *_COLUMNS), rows, optional=("REPEATS",))


_TASK_COLUMNS = ("BENCHMARK", "TASK", "QUALITY", "TIME", "TTFT", "TOKENS/S", "ERROR")


def _task_row(task: TaskResult) -> tuple[str, ...]:
    stream = task.streaming_metrics
    return (
        task.benchmark.removeprefix("janus_"),
        task.task_id,
        _number(task.quality_score, 2),
        duration_text(task.latency_seconds),
        "-" if stream is None or stream.ttft_seconds is None else duration_text(stream.ttft_seconds),
        _number(task.tokens_per_second, 1),
        task.error or "",
    )


def print_analysis(found: Analysis) -> None:
    spreads = {
        "first token, s": found.ttft_seconds,
        "tokens/s": found.tokens_per_second,
        "latency, s": found.latency_seconds,
        "continuity": found.continuity,
    }
    rows = [
        (title, _number(one.p50, 3), _number(one.p95, 3), _number(one.mean, 3), str(one.n))
        for title, one in spreads.items()
        if one is not None
    ]
    write_table(("MEASURE", "P50", "P95", "MEAN", "N"), rows)
    typer.echo("")
    write_note(f"tokens: {_number(found.total_tokens, 0)}; cost in USD: {_number(found.total_cost_usd, 4)}")
    counts = ", ".join(f"{name} {count:,}" for name, count in found.tasks_by_benchmark.items())
    write_note(f"tasks: {counts or 'none'}")
    for title, tasks in (("failed", found.failed_tasks), ("slow", found.slow_tasks)):
        write_note(f"{title}: {plural(len(tasks), 'task')}")
        for task in tasks:
            said = task.error or duration_text(task.latency_seconds)
            write_note(f"{task.benchmark} {task.task_id}: {said}", indent="  ")


def print_categories(found: Sequence[Category], names: tuple[str, str], *, note: str) -> None:
    rows = [
        (
            one.name,
            _number(one.first, 3),
            _number(one.second, 3),
            "-" if one.delta is None else f"{one.delta:+.3f}",
            {"first": names[0], "second": names[1], None: "-"}[one.winner],
        )
        for one in found
    ]
    write_table(("CATEGORY", "FIRST", "SECOND", "DIFFERENCE", "WINNER"), rows)
    if note:
        write_note(f"not like for like: {note}")


def _number(value: float | None, places: int) -> str:
    return "-" if value is None else f"{value:,.{places}f}"
