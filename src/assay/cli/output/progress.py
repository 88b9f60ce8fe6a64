"""Progress of runs and downloads: live bars on a terminal, otherwise a line every few seconds."""

import sys
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

import typer

from assay.domain.attempt import Attempt
from assay.domain.run import Evaluation, EvaluationId
from assay.engine.execution.shards import Observer
from assay.engine.ports import Progress as DownloadProgress

_LINE_EVERY_S = 5.0


@contextmanager
def live_progress(
    evaluations: Sequence[Evaluation], stored: Mapping[EvaluationId, int], *, quiet: bool
) -> Generator[Observer]:
    """Yield a callback for each finished attempt."""
    if quiet:
        yield lambda _evaluation, _attempt: None
    elif sys.stderr.isatty():
        with _bars(evaluations, stored) as observe:
            yield observe
    else:
        yield _Lines(evaluations, stored).observe


@contextmanager
def _bars(evaluations: Sequence[Evaluation], stored: Mapping[EvaluationId, int]) -> Generator[Observer]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(
        *columns, console=Console(stderr=True, highlight=False, markup=False), refresh_per_second=8
    ) as bars:
        counts = {one.id: _Counts() for one in evaluations}
        tasks: dict[EvaluationId, TaskID] = {
            one.id: bars.add_task(
                f"{one.model} · {one.benchmark}",
                total=one.total_attempts,
                completed=stored[one.id],
                rate="",
                note="",
            )
            for one in evaluations
        }

        def observe(evaluation: Evaluation, attempt: Attempt) -> None:
            count = counts[evaluation.id]
            count.add(attempt)
            bars.update(tasks[evaluation.id], advance=1, rate=f"{count.rate:.1f}/s", note=count.note)

        yield observe


class _Counts:
    def __init__(self) -> None:
        self._began = time.monotonic()
        self._done = 0
        self._scored = 0
        self._sum = 0.0
        self._errors: Counter[str] = Counter()

    def add(self, attempt: Attempt) -> None:
        self._done += 1
        if attempt.score is None:
            self._errors[attempt.outcome.value] += 1
        else:
            self._scored += 1
            self._sum += attempt.score

    @property
    def rate(self) -> float:
        return self._done / max(time.monotonic() - self._began, 1e-6)

    @property
    def note(self) -> str:
        parts = [f"score {100 * self._sum / self._scored:.1f} %"] if self._scored else []
        parts += [f"{count} {kind}" for kind, count in self._errors.most_common()]
        return "  ".join(parts)


class _Lines:
    def __init__(self, evaluations: Sequence[Evaluation], stored: Mapping[EvaluationId, int]) -> None:
        self._total = sum(one.total_attempts for one in evaluations)
        self._done = sum(stored.values())
        self._counts = _Counts()
        self._next = time.monotonic() + _LINE_EVERY_S

    def observe(self, _evaluation: Evaluation, attempt: Attempt) -> None:
        self._done += 1
        self._counts.add(attempt)
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _LINE_EVERY_S
            left_s = (self._total - self._done) / max(self._counts.rate, 1e-6)
            typer.echo(
                f"{self._done:,} of {self._total:,}  {self._counts.rate:.1f}/s  {left_s:.0f} s left"
                f"  {self._counts.note}",
                err=True,
            )


@contextmanager
def download_progress(*, quiet: bool) -> Generator[DownloadProgress]:
    if quiet or not sys.stderr.isatty():
        yield lambda _name, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress, TaskID

    with Progress(console=Console(stderr=True, markup=False)) as bars:
        tasks: dict[str, TaskID] = {}

        def update(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=total)
            bars.update(tasks[name], completed=done, total=total)

        yield update
