"""The robust reading beside the official one: where they differ, the format may be at fault."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.domain.benchmark import Grade, Result
from assay.domain.stats import Estimate, score_estimate

_ROBUST = "robust"


def with_robust(grade: Grade, robust: str | None, *, official: str | None, is_right: bool) -> Grade:
    """The grade, with the robust reading in its details where that is not what the `official` one gave."""
    if robust == official:
        return grade
    return replace(grade, details={**grade.details, _ROBUST: {"extracted": robust, "is_correct": is_right}})


def disagreement_metrics(results: Sequence[Result]) -> Mapping[str, Estimate]:
    """How often the readings disagree, and the score by the robust one where they ever do."""
    clusters = [result.cluster or result.item_id for result in results]
    others = [result.details.get(_ROBUST) for result in results]
    estimates = {
        "extraction_disagreement": score_estimate([float(one is not None) for one in others], clusters)
    }
    if any(one is not None for one in others):
        scores = [
            float(one.get("is_correct") is True) if isinstance(one, Mapping) else result.score
            for one, result in zip(others, results, strict=True)
        ]
        estimates["robust_accuracy"] = score_estimate(scores, clusters)
    return {name: estimate for name, estimate in estimates.items() if estimate is not None}
