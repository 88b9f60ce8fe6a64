"""Progress of runs and downloads: live bars on a terminal, otherwise a line every few seconds."""

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import typer

from assay.domain.access.secret import printable
from assay.domain.attempt import Attempt
from assay.domain.run import Evaluation, EvaluationId
from assay.engine.execution.shards import Observer
from assay.engine.models.traffic import Traffic
from assay.engine.ports import Progress as DownloadProgress
from assay.engine.results.race import Race

_SAME_EVERY_S = 30.0
_LINE_EVERY_S = 5.0
_BAR_WIDTH = 10
# The width of a bar, counts of four digits, a rate and a time, with the gaps between them.
_FIGURES_WIDTH = _BAR_WIDTH + 33
_MIN_TEXT = 12


@contextmanager
def live_progress(
    evaluations: Sequence[Evaluation], stored: "Mapping[EvaluationId, Tally]", *, quiet: bool
) -> Generator[Observer]:
    """Show finished attempts, those stored before among them, and repeated calls while the block runs.

    If `quiet`, only repeated calls are shown.
    """
    if quiet:
        yield _RetryNotes(_write_line)
    elif sys.stderr.isatty():
        with _bars(evaluations, stored) as observer:
            yield observer
    else:
        yield _Lines(evaluations, stored)


def _write_line(line: str) -> None:
    typer.echo(line, err=True)


class _RetryNotes(Observer):
    """Says why calls are repeated: a new reason within seconds, the same one every half minute."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._said: str | None = None
        self._said_at = -math.inf
        self._decided: set[tuple[str, str, str]] = set()
        self._stood_at = time.monotonic()

    def waiting_to_retry(self, evaluation: Evaluation, traffic: Traffic) -> None:
        now = time.monotonic()
        if now < self._said_at + (_SAME_EVERY_S if traffic.reason == self._said else _LINE_EVERY_S):
            return
        self._said, self._said_at = traffic.reason, now
        limiter = traffic.limiter
        closed = f", no call for {limiter.closed_for_s:.0f} s" if limiter.closed_for_s else ""
        self._write(
            f"{evaluation.model}: waiting to repeat a call: {printable(traffic.reason or '')}"
            f" (waiting: {traffic.waiting:,}, repeated: {traffic.retries:,},"
            f" rate-limited: {traffic.rate_limited:,},"
            f" in flight: {limiter.in_flight} of {limiter.limit}{closed})"
        )

    def race_advanced(self, race: Race) -> None:
        """What was just decided, and every few seconds how the rest stands."""
        is_due = time.monotonic() >= self._stood_at + _LINE_EVERY_S
        for one in race.contests:
            place = race.terms.benchmark, one.ours.model, one.against
            if place in self._decided or not (one.is_decided or is_due):
                continue
            self._write(printable(one.standing))
            if one.is_decided:
                self._decided.add(place)
        if is_due:
            self._stood_at = time.monotonic()


@contextmanager
def _bars(evaluations: Sequence[Evaluation], tallies: "Mapping[EvaluationId, Tally]") -> Generator[Observer]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
    from rich.table import Column

    console = Console(stderr=True, highlight=False, markup=False)
    # Names and notes are cut first, so that count, rate and time left can always be read.
    free = max(console.width - _FIGURES_WIDTH, 2 * _MIN_TEXT)
    name_width = max(_MIN_TEXT, free * 3 // 5)
    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True, max_width=name_width)),
        BarColumn(bar_width=_BAR_WIDTH),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(elapsed_when_finished=True, table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[note]}", table_column=Column(no_wrap=True, max_width=free - name_width)),
    )
    with Progress(*columns, console=console, refresh_per_second=8) as bars:
        paces = {one.id: _Pace() for one in evaluations}
        tasks: dict[EvaluationId, TaskID] = {
            one.id: bars.add_task(
                f"{one.model} · {one.benchmark}",
                total=one.total_attempts,
                completed=tallies[one.id].done,
                rate="",
                note=tallies[one.id].note,
            )
            for one in evaluations
        }

        class Bars(_RetryNotes):
            def attempt_ended(self, evaluation: Evaluation, attempt: Attempt) -> None:
                tally, pace = tallies[evaluation.id], paces[evaluation.id]
                tally.add(attempt)
                pace.count += 1
                bars.update(tasks[evaluation.id], advance=1, rate=f"{pace.per_s:.1f}/s", note=tally.note)

        yield Bars(bars.console.print)


@dataclass
class Tally:
    """Attempts that are done: their number, their scores, and how many have none by outcome."""

    done: int = 0
    scored: int = 0
    score_sum: float = 0.0
    errors: Counter[str] = field(default_factory=Counter[str])

    def add(self, attempt: Attempt) -> None:
        self.done += 1
        if attempt.score is None:
            self.errors[attempt.outcome.value] += 1
        else:
            self.scored += 1
            self.score_sum += attempt.score

    def add_all(self, other: "Tally") -> None:
        self.done += other.done
        self.scored += other.scored
        self.score_sum += other.score_sum
        self.errors += other.errors

    @property
    def note(self) -> str:
        # A narrow terminal cuts the end off, and the score is printed at the end of the run.
        parts = [f"{count} {kind}" for kind, count in self.errors.most_common()]
        parts += [f"score {100 * self.score_sum / self.scored:.1f} %"] if self.scored else []
        return "  ".join(parts)


class _Pace:
    def __init__(self) -> None:
        self._began = time.monotonic()
        self.count = 0

    @property
    def per_s(self) -> float:
        return self.count / max(time.monotonic() - self._began, 1e-6)


class _Lines(_RetryNotes):
    def __init__(self, evaluations: Sequence[Evaluation], stored: Mapping[EvaluationId, Tally]) -> None:
        super().__init__(_write_line)
        self._total = sum(one.total_attempts for one in evaluations)
        self._tally, self._pace = Tally(), _Pace()
        for one in stored.values():
            self._tally.add_all(one)
        self._next_line = time.monotonic() + _LINE_EVERY_S

    def attempt_ended(self, evaluation: Evaluation, attempt: Attempt) -> None:  # noqa: ARG002
        self._tally.add(attempt)
        self._pace.count += 1
        now = time.monotonic()
        if now >= self._next_line:
            self._next_line = now + _LINE_EVERY_S
            done, per_s = self._tally.done, self._pace.per_s
            left_s = (self._total - done) / max(per_s, 1e-6)
            typer.echo(
                f"{done:,} of {self._total:,}  {per_s:.1f}/s  {left_s:.0f} s left  {self._tally.note}",
                err=True,
            )


@contextmanager
def count_progress(name: str, total: int, *, quiet: bool) -> Generator[Callable[[int], None]]:
    """Yield a callback for further answers graded: one line that is rewritten, or lines where none can be."""
    done, shown_s = 0, time.monotonic()
    is_terminal = sys.stderr.isatty()

    def add(count: int) -> None:
        nonlocal done, shown_s
        done += count
        if is_terminal:
            typer.echo(f"\r{name}: {done:,} of {total:,} graded", err=True, nl=False)
        elif time.monotonic() >= shown_s + _LINE_EVERY_S:
            shown_s = time.monotonic()
            typer.echo(f"{name}: {done:,} of {total:,} graded", err=True)

    yield (lambda _count: None) if quiet else add
    if not quiet:
        typer.echo("" if is_terminal else f"{name}: {done:,} of {total:,} graded", err=True)


def _download_lines() -> DownloadProgress:
    """A line when a file is begun, and every few seconds."""
    shown_s: dict[str, float] = {}

    def update(name: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now >= shown_s.get(name, 0.0) + _LINE_EVERY_S:
            shown_s[name] = now
            whole = "" if total is None else f" of {total:,}"
            typer.echo(f"{name}: {done:,}{whole} bytes", err=True)

    return update


@contextmanager
def download_progress(*, quiet: bool) -> Generator[DownloadProgress]:
    if quiet:
        yield lambda _name, _done, _total: None
        return
    if not sys.stderr.isatty():
        yield _download_lines()
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
