"""Scores and what is said about them, as reports for people show them."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation
from assay.domain.stats import Estimate
from assay.domain.summary import Summary
from assay.engine.results.compare import Comparison

SCORE_COLUMNS = ("model", "benchmark", "score", "95 % interval", "scored", "cost", "time")
NUMBERS = frozenset({"score", "95 % interval", "scored", "cost", "time", "difference", "p", "items"})
COMPARISON_COLUMNS = ("models", "benchmark", "difference", "95 % interval", "p", "items", "verdict")


def score_row(evaluation: Evaluation, summary: Summary | None) -> tuple[str, ...]:
    """One cell for each of SCORE_COLUMNS; the state stands in place of a score that there is not."""
    name = f"{evaluation.benchmark} v{evaluation.benchmark_version}"
    model = f"{evaluation.model} (local code)" if evaluation.is_local_code else evaluation.model
    if summary is None:
        return model, name, evaluation.state.value, "", f"0 of {evaluation.total_attempts:,}", "", ""
    return (
        model,
        name,
        percent(summary.score.value) if summary.score else "none",
        interval_text(summary.score),
        f"{summary.scored:,} of {summary.total:,}",
        money(summary.cost_usd),
        "" if summary.duration_s is None else f"{summary.duration_s:.1f} s",
    )


def comparison_row(one: Comparison) -> tuple[str, ...]:
    """One cell for each of COMPARISON_COLUMNS."""
    names = f"{_side(one, one.ours)} and {_side(one, one.theirs)}"
    if one.result is None:
        return names, one.ours.benchmark, "", "", "", "0", "no shared item"
    low, high = one.result.interval.low, one.result.interval.high
    p = one.result.p_value if one.result.adjusted_p is None else one.result.adjusted_p
    return (
        names,
        one.ours.benchmark,
        f"{100 * one.result.difference:+.1f}",
        f"{100 * low:+.1f} to {100 * high:+.1f}",
        f"{p:.4f}",
        f"{one.result.n:,}",
        one.result.verdict.value,
    )


def _side(one: Comparison, evaluation: Evaluation) -> str:
    is_named = one.names_runs or one.ours.model == one.theirs.model
    return f"{evaluation.model} ({evaluation.run_id[:8]})" if is_named else evaluation.model


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def interval_text(estimate: Estimate | None) -> str:
    if estimate is None or estimate.interval is None:
        return ""
    return f"{100 * estimate.interval.low:.1f} to {100 * estimate.interval.high:.1f}"


def money(usd: Decimal | None) -> str:
    return "unknown" if usd is None else f"${usd:.4f}"


def outcomes_text(counts: Mapping[Outcome, int], *, total: int) -> str:
    """Counts by outcome, verdicts first, and how many attempts were not made."""
    known = [f"{counts[one]:,} {one.value}" for one in Outcome if counts.get(one)]
    undone = total - sum(counts.values())
    return ", ".join([*known, f"{undone:,} not done"] if undone else known) or "no attempts"


def answered_by(evaluation: Evaluation) -> Sequence[str]:
    """Says which function answered, where none of an endpoint's models did."""
    return [f"Answered by {evaluation.endpoint}."] if evaluation.is_local_code else []


def evaluation_notes(evaluation: Evaluation, summary: Summary | None) -> Sequence[str]:
    """What is wrong with the score."""
    notes = [f"Failed: {evaluation.error}"] if evaluation.error else []
    if summary is None:
        return notes
    notes += [f"Warning: {one.message}." for one in summary.warnings]
    ended = sum(count for outcome, count in summary.outcomes.items() if outcome.is_final)
    if summary.bounds and ended < summary.total:
        low, high = percent(summary.bounds.low), percent(summary.bounds.high)
        notes.append(f"With what is missing, the score would lie between {low} and {high}.")
    return notes
