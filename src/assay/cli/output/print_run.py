"""A run for people: every score with its interval, its denominator and what is missing."""

from collections.abc import Sequence

import typer

from assay.cli.output.write import cost_text, duration_text, interval_texts, percent, score_text, write_table
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run
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


def print_run(run: Run, evaluations: Sequence[Evaluation]) -> None:
    typer.echo(f"run {run.id}  {run.state.value}{_data_note(run)}")
    if run.error:
        typer.echo(f"  {run.error}")
    typer.echo("")
    write_table(_COLUMNS, [_row(one) for one in evaluations])
    for evaluation in evaluations:
        _print_notes(evaluation)


def _data_note(run: Run) -> str:
    if run.spec.data == "demo":
        return "  (demo: our own items, not comparable with the official data)"
    return "" if run.spec.data == "official" else f"  (data: {run.spec.data})"


def _row(evaluation: Evaluation) -> tuple[str, ...]:
    name = f"{evaluation.benchmark} v{evaluation.benchmark_version}"
    summary = evaluation.summary
    if summary is None:
        return (
            evaluation.model,
            name,
            evaluation.state.value,
            "",
            "",
            f"0 of {evaluation.total_attempts:,}",
            *"----",
        )
    score = (
        (percent(summary.score.value), *interval_texts(summary.score)) if summary.score else ("none", "", "")
    )
    return (
        evaluation.model,
        name,
        *score,
        f"{summary.scored:,} of {summary.total:,}",
        _share(summary.cut, summary),
        _share(summary.unparsed, summary),
        cost_text(summary.cost_usd),
        duration_text(summary.duration_s),
    )


def _share(count: int, summary: Summary) -> str:
    return percent(count / summary.scored) if summary.scored else "-"


def _print_notes(evaluation: Evaluation) -> None:
    summary = evaluation.summary
    notes: list[str] = []
    if evaluation.error:
        notes.append(f"failed: {evaluation.error}")
    if summary is not None:
        notes += [f"{name}: {score_text(one)}" for name, one in summary.metrics.items()]
        notes += judge_notes(summary, evaluation.fingerprint.judge)
        notes += _missing_notes(summary)
        if summary.retried:
            notes.append(f"{summary.retried:,} attempts needed more than one call")
    if notes:
        typer.echo(f"\n{evaluation.model} on {evaluation.benchmark}")
        for note in notes:
            typer.echo(f"  {note}")


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
        typer.echo(f"  {comparison.sentence}")


def print_categories(evaluations: Sequence[Evaluation]) -> None:
    """One table per evaluation whose items fall into several categories."""
    for one in evaluations:
        if one.summary is None or len(one.summary.categories) <= 1:
            continue
        typer.echo(f"\n{one.model} on {one.benchmark}, by category")
        rows = [
            (name, percent(score.value), *interval_texts(score), f"{score.n:,}")
            for name, score in one.summary.categories.items()
        ]
        write_table(("CATEGORY", "SCORE", "95 % INTERVAL", "METHOD", "SCORED"), rows)
