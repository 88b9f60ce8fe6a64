"""What `assay list` prints."""

from collections.abc import Iterator, Sequence

import typer

from assay.cli.output.run_report import RunReport
from assay.cli.output.write import (
    age_text,
    cost_text,
    milliseconds,
    score_cells,
    write_note,
    write_table,
)
from assay.domain.errors import UnknownNameError
from assay.domain.run import Evaluation, Run, State

_COLUMNS = (
    "RUN",
    "STATE",
    "AGE",
    "MODEL",
    "BENCHMARK",
    "SCORE",
    "95 % INTERVAL",
    "METHOD",
    "SCORED",
    "TTFT",
    "TOKENS",
    "COST",
)
_OPTIONAL = ("AGE", "COST", "METHOD", "TOKENS", "TTFT")
# `assay show` prints messages in full.
_SHOWN_CHARACTERS = 240


def state_named(name: str | None) -> State | None:
    if name is None:
        return None
    try:
        return State(name)
    except ValueError as error:
        remedy = f"there are {', '.join(State)}; an interrupted run is queued or running"
        raise UnknownNameError("state", name, remedy=remedy) from error


def print_list(reports: Sequence[RunReport]) -> None:
    """One row per evaluation; the run's own columns stand in its first row only."""
    rows: list[tuple[str, ...]] = []
    for report in reports:
        run = report.run
        lead = (run.id[:8], report.state, age_text(run.created_at))
        for number, one in enumerate(report.evaluations):
            rows.append((*(lead if number == 0 else ("",) * len(lead)), *_evaluation_row(report, one)))
    write_table(_COLUMNS, rows, folded=("MODEL", "BENCHMARK"), optional=_OPTIONAL)
    notes = [f"{report.run.id[:8]}: {note}" for report in reports for note in _notes(report)]
    if notes:
        typer.echo("")
    for note in notes:
        write_note(note if len(note) <= _SHOWN_CHARACTERS else f"{note[:_SHOWN_CHARACTERS]}…")


def _name(run: Run) -> str:
    return " ".join((run.description.name, *(f"#{tag}" for tag in run.description.tags))).strip()


def _notes(report: RunReport) -> Iterator[str]:
    notes = (_name(report.run), report.interruption_note, report.progress_note, report.run.error)
    yield from filter(None, notes)
    for one in report.evaluations:
        warnings = one.summary.warnings if one.summary else ()
        for note in (*(f"warning: {warning.message}" for warning in warnings), *report.error_notes(one)):
            yield f"{one.model} on {one.benchmark}: {note}"


def _evaluation_row(report: RunReport, one: Evaluation) -> tuple[str, ...]:
    summary = one.summary
    benchmark = one.benchmark + (" (demo)" if report.run.spec.data == "demo" else "")
    scored = score_cells(one, report.outcomes(one), state=report.evaluation_state(one))
    cells = one.model, benchmark, *scored
    if summary is None:
        return *cells, *"---"
    ttft_ms = summary.latency.get("ttft_ms")
    return (
        *cells,
        milliseconds(ttft_ms["p50"]) if ttft_ms else "-",
        f"{summary.tokens.input + summary.tokens.output:,}",
        cost_text(summary.cost_usd),
    )
