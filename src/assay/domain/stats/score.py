"""Which interval a score gets."""

import math
from collections.abc import Sequence

from assay.domain.errors import InvalidValueError
from assay.domain.stats.bootstrap import bootstrap_interval
from assay.domain.stats.clusters import Unit, unit_mean, unit_standard_error, units
from assay.domain.stats.estimate import Estimate, Interval, IntervalMethod
from assay.domain.stats.intervals import clopper_pearson, score_limits, unanimous_interval, wilson
from assay.domain.stats.special import student_quantile

# Up to here (AIME has 30 items) a guarantee is worth its extra width, and an observed spread is not trusted.
_FEW_UNITS = 30


def score_estimate(
    values: Sequence[float], clusters: Sequence[str] | None = None, *, level: float = 0.95
) -> Estimate | None:
    """Mean of scores in [0, 1] with the interval that suits them; None for no values.

    Ungrouped: Clopper-Pearson up to 30 values; beyond, Wilson for yes/no scores and the BCa bootstrap for
    partial ones. Grouped (`clusters` names the item or passage of each value): Wilson's interval at the
    effective sample size that the clustered standard error implies, with Student's quantile. Simulated with
    5 to 400 clusters of four repeats it covered 91 to 99 %, where mean ± t standard errors fell to 88 %.
    """
    if not values:
        return None
    if any(not 0 <= value <= 1 for value in values):
        raise InvalidValueError("a score lies outside 0 to 1: scale the grader's values first")
    gathered = units(values, clusters)
    mean = min(max(unit_mean(gathered), 0.0), 1.0)
    standard_error = unit_standard_error(gathered)
    is_grouped = len(gathered) < len(values)
    if is_grouped:
        interval = _clustered(gathered, mean, standard_error=standard_error, level=level)
    else:
        interval = _ungrouped(values, level=level)
    return Estimate(mean, interval, standard_error, len(values), len(gathered) if is_grouped else None)


def missing_bounds(sum_of_scores: float, scored: int, total: int) -> tuple[float, float]:
    """The score over all `total` attempts if every missing one were wrong, and if every one were right."""
    if not 0 <= sum_of_scores <= scored <= total or total < 1:
        raise InvalidValueError(
            f"scores summing to {sum_of_scores!r} over {scored!r} of {total!r} attempts:"
            " give 0 <= sum <= scored <= total and total >= 1"
        )
    return sum_of_scores / total, (sum_of_scores + total - scored) / total


def _ungrouped(values: Sequence[float], *, level: float) -> Interval:
    n = len(values)
    if n <= _FEW_UNITS:
        return clopper_pearson(math.fsum(values), n, level=level)
    if all(value in {0, 1} for value in values):
        return wilson(math.fsum(values), n, level=level)
    return bootstrap_interval(values, level=level)


def _clustered(
    gathered: Sequence[Unit], mean: float, *, standard_error: float | None, level: float
) -> Interval:
    count = len(gathered)
    if not standard_error or mean in {0.0, 1.0}:
        return unanimous_interval(mean, count, level=level)
    effective = mean * (1 - mean) / standard_error**2
    if count <= _FEW_UNITS:
        effective = min(effective, sum(unit.size for unit in gathered))
    low, high = score_limits(mean, effective, quantile=student_quantile(level, count - 1))
    return Interval(low, high, IntervalMethod.CLUSTERED_WILSON, level)
