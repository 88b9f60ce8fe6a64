"""The metrics that every benchmark of a run has in the contract of the bench runner."""

from typing import TypeAlias

from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Subset
from assay.domain.summary import Summary

Metric: TypeAlias = int | float | str | None


def contract_metrics(evaluation: Evaluation, summary: Summary, subset: Subset) -> dict[str, Metric]:
    """With the benchmark's own metrics, which win where a name is the same; items count once per sample."""
    return {
        **summary_metrics(summary),
        "total_items": evaluation.benchmark_size,
        "sampled_pct": 100 * evaluation.asked_items / evaluation.benchmark_size,
        "subset_count": subset.count,
        "subset_seed": subset.seed,
        **{name: metric.value for name, metric in summary.metrics.items()},
    }


def summary_metrics(summary: Summary) -> dict[str, Metric]:
    """`accuracy` is out of the attempts with a verdict: those that are missing are not wrong."""
    correct = summary.outcomes.get(Outcome.CORRECT, 0)
    return {
        "accuracy": correct / summary.scored if summary.scored else None,
        "correct": correct,
        "score": summary.score.value if summary.score else None,
        "sampled_items": summary.total,
    }
