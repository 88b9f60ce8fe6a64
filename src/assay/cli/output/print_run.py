"""A run for people: every score with its interval, its denominator and what is missing."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

import typer

from assay.cli.output.run_report import RunReport
from assay.cli.output.write import (
    cost_text,
    duration_text,
    interval_texts,
    milliseconds,
    percent,
    score_cells,
    score_text,
    write_note,
    write_table,
)
from assay.domain.access.visibility import Visibility
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run
from assay.domain.stats import plural
from assay.domain.summary import Summary
from assay.engine.results.compare import Comparison

_COLUMNS = (
    "MODEL",
    "BENCHMARK",
    "SCORE",
    "95 % INTERVAL",
    "METHOD",
    "SCORED",
    "CUT",
    "UNPARSED",
    "COST",
    "TIME",
)
_SHOWN_ITEMS = 5
_SHOWN_TEXT = 80
_OPTIONAL = ("METHOD", "UNPARSED", "CUT", "COST", "TIME")


def print_run(report: RunReport) -> None:
    run = report.run
    typer.echo(f"run {run.id}  {report.state}")
    print_description(run)
    notes = (
        report.interruption_note,
        _data_note(run),
        _items_note(run),
        _limits_note(run),
        report.progress_note,
        run.error,
    )
    for note in filter(None, notes):
        write_note(note, indent="  ")
    typer.echo("")
    rows = [_row(report, one) for one in report.evaluations]
    write_table(_COLUMNS, rows, folded=("MODEL", "BENCHMARK"), optional=_OPTIONAL)
    for evaluation in report.evaluations:
        _print_notes(report, evaluation)


def print_description(run: Run) -> None:
    said = run.description
    texts = {"name": said.name, "tags": ", ".join(said.tags), "note": said.note}
    if said.is_archived:
        texts["archived"] = "not in lists; bring it back with: assay archive --undo"
    if run.offloaded_at is not None:
        texts["offloaded"] = (
            f"its items are in files; bring them back with: assay offload --restore {run.id[:8]}"
        )
    if said.visibility is not Visibility.TEAM:
        texts["visibility"] = said.visibility.value
    for title, text in texts.items():
        if text:
            write_note(f"{title}: {text}", indent="  ")


def _data_note(run: Run) -> str:
    if run.spec.data == "demo":
        return "demo: our own items, not comparable with the official data"
    return "" if run.spec.data == "official" else f"data: {run.spec.data}"


def _items_note(run: Run) -> str:
    named = run.spec.items
    if not named:
        return ""
    more = ", …" if len(named) > _SHOWN_ITEMS else ""
    return f"items: {len(named):,} named: {', '.join(named[:_SHOWN_ITEMS])}{more}"


def _limits_note(run: Run) -> str:
    connections, budget = run.spec.max_connections, run.spec.budget
    limits = [f"{plural(connections, 'call')} at once"] if connections is not None else []
    limits += [f"${budget.usd}"] if budget.usd is not None else []
    limits += [plural(budget.tokens, "token")] if budget.tokens is not None else []
    return f"limits: at most {', '.join(limits)}" if limits else ""


def _row(report: RunReport, evaluation: Evaluation) -> tuple[str, ...]:
    name = f"{evaluation.benchmark} v{evaluation.benchmark_version}"
    summary = evaluation.summary
    scored = score_cells(evaluation, report.outcomes(evaluation), state=report.evaluation_state(evaluation))
    cells = evaluation.model, name, *scored
    if summary is None:
        return *cells, *"----"
    return (
        *cells,
        _share(summary.cut, summary),
        _share(summary.unparsed, summary),
        cost_text(summary.cost_usd),
        duration_text(summary.duration_s),
    )


def _share(count: int, summary: Summary) -> str:
    return percent(count / summary.scored) if summary.scored else "-"


def _print_notes(report: RunReport, evaluation: Evaluation) -> None:
    summary = evaluation.summary
    notes = [f"failed: {evaluation.error}"] if evaluation.error else []
    if evaluation.is_local_code:
        notes.append(f"answered by {evaluation.endpoint}")
    if evaluation.fingerprint.agent is not None:
        notes.append(f"agent: {evaluation.fingerprint.agent}")
    if summary is not None:
        notes += [f"warning: {one.message}" for one in summary.warnings]
        notes += [f"{name}: {score_text(one)}" for name, one in summary.metrics.items()]
        notes += judge_notes(summary, evaluation.fingerprint.judge)
    outcomes = report.outcomes(evaluation)
    if outcomes:
        notes.append(f"outcomes: {_outcomes_text(outcomes)}")
    notes += report.error_notes(evaluation)
    if summary is not None:
        notes += [summary.stopped.sentence] if summary.stopped else []
        notes += _missing_notes(summary)
        notes += _usage_notes(summary)
        if evaluation.generation.logprobs:
            attempts = plural(sum(outcomes.values()), "attempt")
            notes.append(f"log-probabilities: {summary.with_logprobs:,} of {attempts} have them")
    notes.append(f"settings: {_settings_text(evaluation)}")
    typer.echo("")
    write_note(f"{evaluation.model} on {evaluation.benchmark}")
    for note in notes:
        write_note(note, indent="  ")


def _outcomes_text(outcomes: Mapping[Outcome, int]) -> str:
    """In the order of the definition: verdicts before failures."""
    return ", ".join(f"{outcomes[one]:,} {one.value}" for one in Outcome if outcomes.get(one))


def _usage_notes(summary: Summary) -> list[str]:
    tokens = summary.tokens
    notes = [
        f"tokens: {tokens.input:,} in, {tokens.output:,} out"
        + (f", unknown for {plural(tokens.unknown, 'attempt')}" if tokens.unknown else "")
        + f"; cost {cost_text(summary.cost_usd)}; took {duration_text(summary.duration_s)}"
    ]
    if (ttft_ms := summary.latency.get("ttft_ms")) is not None:
        spread = ", ".join(f"{point} {milliseconds(ttft_ms[point])}" for point in ("p50", "p90", "max"))
        notes.append(f"time to first token: {spread}")
    if summary.reused:
        notes.append(
            f"{plural(summary.reused, 'answer')} reused from earlier runs:"
            " tokens, cost and times are those of the other attempts"
        )
    if summary.retried:
        notes.append(f"{plural(summary.retried, 'attempt')} needed more than one call")
    return notes


def _settings_text(evaluation: Evaluation) -> str:
    sent = [f"{name} {_setting_text(value)}" for name, value in evaluation.generation.given.items()]
    parts = [*sent, f"{evaluation.asked_items:,} of {plural(evaluation.benchmark_size, 'item')}"]
    if evaluation.samples > 1:
        parts.append(f"{evaluation.samples:,} attempts each")
    return ", ".join(parts)


def _setting_text(value: object) -> str:
    if isinstance(value, str) and len(value) > _SHOWN_TEXT:
        return f"{value[:_SHOWN_TEXT]}…"
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return " ".join(map(repr, cast(tuple[object, ...], value)))
    return (
        f"{value:g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
    )


def judge_notes(summary: Summary, judge: str | None) -> list[str]:
    """Who judged, what it took, and how far the votes agree; nothing where nobody did."""
    if judge is None:
        return []
    notes = [f"judge: {judge}; cost {cost_text(summary.judge_cost_usd)}, apart from the model's"]
    if summary.judge_tokens is not None:
        tokens = summary.judge_tokens
        notes[0] += f"; {tokens.input:,} tokens in, {tokens.output:,} out"
    if summary.agreement is not None:
        found = summary.agreement
        alpha = "undefined" if found.alpha is None else f"{found.alpha:.2f}"
        notes.append(
            f"votes agree: Krippendorff's alpha {alpha}, unanimous on {percent(found.unanimous)}"
            f" of {found.answers:,} answers; {found.failed:,} of {found.votes + found.failed:,} votes failed"
        )
    return notes


def _missing_notes(summary: Summary) -> list[str]:
    missing = {
        outcome: count
        for outcome, count in summary.outcomes.items()
        if not Outcome(outcome).is_final and count
    }
    undone = summary.total - sum(summary.outcomes.values())
    if not missing and not undone:
        return []
    kinds = [f"{count:,} {outcome.value}" for outcome, count in missing.items()]
    kinds += [f"{undone:,} not done"] if undone else []
    note = f"missing: {', '.join(kinds)}"
    if summary.bounds:
        low, high = percent(summary.bounds.low), percent(summary.bounds.high)
        note += f"; with them the score would lie between {low} and {high}"
    return [note]


def print_comparison(comparisons: Sequence[Comparison]) -> None:
    if comparisons:
        typer.echo("\nCompared item by item:")
    for comparison in comparisons:
        write_note(comparison.sentence, indent="  ")


def print_categories(evaluations: Sequence[Evaluation]) -> None:
    """One table per evaluation whose items fall into several categories."""
    for one in evaluations:
        if one.summary is None or len(one.summary.categories) <= 1:
            continue
        typer.echo("")
        write_note(f"{one.model} on {one.benchmark}, by category")
        rows = [
            (name, percent(score.value), *interval_texts(score), f"{score.n:,}")
            for name, score in one.summary.categories.items()
        ]
        write_table(
            ("CATEGORY", "SCORE", "95 % INTERVAL", "METHOD", "SCORED"),
            rows,
            folded=("CATEGORY",),
            optional=("METHOD",),
        )
