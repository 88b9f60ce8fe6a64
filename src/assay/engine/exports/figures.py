"""Scores and summaries as JSON objects."""

from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal

from assay.domain.calls.messages import Json
from assay.domain.stats import Estimate
from assay.domain.stopping import Stopped
from assay.domain.summary import Summary
from assay.engine.results.contest import ContestResult

Object = dict[str, Json]


def amount(value: Decimal | None) -> str | None:
    """Money as decimal digits, because a binary number would round it."""
    return None if value is None else f"{value:f}"


def summary_document(summary: Summary) -> Object:
    return {
        "score": estimate_document(summary.score),
        "scored": summary.scored,
        "total": summary.total,
        "outcomes": {outcome.value: count for outcome, count in summary.outcomes.items() if count},
        "bounds": asdict(summary.bounds) if summary.bounds else None,
        "cut": summary.cut,
        "retried": summary.retried,
        "reused": summary.reused,
        "tokens": asdict(summary.tokens),
        "cost_usd": amount(summary.cost_usd),
        "judge_cost_usd": amount(summary.judge_cost_usd),
        "metrics": {name: estimate_document(one) for name, one in summary.metrics.items()},
        "categories": {name: estimate_document(one) for name, one in summary.categories.items()},
        "latency": {name: dict(one) for name, one in summary.latency.items()},
        "duration_s": summary.duration_s,
        **({} if summary.stopped is None else {"stopped": stopped_document(summary.stopped)}),
    }


def stopped_document(stopped: Stopped) -> Object:
    return {**asdict(stopped), "settled": [asdict(one) for one in stopped.settled]}


def race_document(contests: Sequence[ContestResult]) -> Json:
    return [
        {
            "benchmark": one.benchmark,
            "ours": one.ours,
            "theirs": one.theirs,
            "verdict": one.verdict,
            "decided_after": one.decided_after,
            "asked": one.asked,
            "items": one.items,
            "missing": one.missing,
            "sequence": [
                {"items": seen.items, "low": seen.limits.low, "high": seen.limits.high}
                for seen in one.sequence
            ],
        }
        for one in contests
    ]


def estimate_document(estimate: Estimate | None) -> Object | None:
    if estimate is None:
        return None
    interval = estimate.interval
    return {
        "value": estimate.value,
        "interval": interval
        and {
            "low": interval.low,
            "high": interval.high,
            "method": interval.method.value,
            "level": interval.level,
        },
        "standard_error": estimate.standard_error,
        "n": estimate.n,
        "clusters": estimate.clusters,
    }
