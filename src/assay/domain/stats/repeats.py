"""Noise between repeats of the same items."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from assay.domain.errors import InvalidValueError
from assay.domain.stats.special import normal_quantile


@dataclass(frozen=True, slots=True)
class RepeatNoise:
    """Spread of repeated scores, over the `items` asked at least twice.

    `noise_floor` is the difference that two single runs over these items must exceed to mean anything.
    """

    flip_rate: float
    within_variance: float
    between_variance: float
    noise_floor: float
    items: int


def repeat_noise(values: Sequence[float], item_ids: Sequence[str]) -> RepeatNoise | None:
    """Split the variance of scores into asking again and difficulty; None where no item was asked twice."""
    if len(values) != len(item_ids):
        raise InvalidValueError(f"{len(values)} values but {len(item_ids)} item ids: give one id per value")
    gathered: dict[str, list[float]] = {}
    for value, item_id in zip(values, item_ids, strict=True):
        gathered.setdefault(item_id, []).append(value)
    repeated = [scores for scores in gathered.values() if len(scores) > 1]
    if not repeated:
        return None
    variances = [statistics.variance(scores) for scores in repeated]
    within = statistics.fmean(variances)
    return RepeatNoise(
        flip_rate=sum(min(scores) < max(scores) for scores in repeated) / len(repeated),
        within_variance=within,
        between_variance=_between(repeated, variances),
        noise_floor=noise_floor(within, within, len(repeated)),
        items=len(repeated),
    )


def noise_floor(ours: float, theirs: float, items: int) -> float:
    """What two scores over the same items differ by, by chance alone, in 95 % of cases.

    `ours` and `theirs` are the variances of an item's score when the same model is asked again.
    """
    return normal_quantile(0.95) * math.sqrt((ours + theirs) / items)


def _between(repeated: Sequence[Sequence[float]], variances: Sequence[float]) -> float:
    """Variance of the items' true means: that of the observed ones less what re-asking adds to it."""
    if len(repeated) == 1:
        return 0.0
    observed = statistics.variance([statistics.fmean(scores) for scores in repeated])
    added = statistics.fmean(
        [variance / len(scores) for variance, scores in zip(variances, repeated, strict=True)]
    )
    return max(0.0, observed - added)
