"""Two models on the same items."""

import dataclasses
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from assay.domain.errors import InvalidValueError
from assay.domain.stats.clusters import Unit, unit_mean, unit_standard_error, units
from assay.domain.stats.estimate import Interval, IntervalMethod
from assay.domain.stats.intervals import tango, unanimous_interval, unseen_share
from assay.domain.stats.power import detectable_by_mcnemar, detectable_by_mean
from assay.domain.stats.significance import PairedTest, Significance, mcnemar, sign_flip
from assay.domain.stats.special import student_quantile

_DUST = 1e-12


class Verdict(StrEnum):
    """The conclusion about the first model; never that there is no difference."""

    BETTER = "better"
    WORSE = "worse"
    TIED = "tied"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class PairedResult:
    """Mean of (ours - theirs) over the items both were scored on."""

    difference: float
    standard_error: float | None
    interval: Interval
    correlation: float | None
    wins: int
    losses: int
    ties: int
    clusters: int | None
    p_value: float
    test: PairedTest
    minimum_detectable_effect: float | None
    margin: float
    adjusted_p: float | None = None

    @property
    def n(self) -> int:
        return self.wins + self.losses + self.ties

    @property
    def verdict(self) -> Verdict:
        """Better or worse where test and interval say so; tied where the interval lies within the margin.

        A tie also needs enough items to rule out that a share larger than the margin was never met.
        """
        p = self.p_value if self.adjusted_p is None else self.adjusted_p
        excludes_zero = self.interval.low > 0 or self.interval.high < 0
        if p < self.interval.alpha and excludes_zero:
            return Verdict.BETTER if self.difference > 0 else Verdict.WORSE
        widest = max(abs(self.interval.low), abs(self.interval.high))
        unseen = unseen_share(self.clusters or self.n, level=self.interval.level)
        return Verdict.TIED if max(widest, unseen) <= self.margin else Verdict.INCONCLUSIVE

    def adjusted(self, p: float) -> "PairedResult":
        """The same comparison, judged by a p-value corrected for the number of comparisons."""
        return dataclasses.replace(self, adjusted_p=p)


def paired_difference(
    pairs: Sequence[tuple[float, float]],
    clusters: Sequence[str] | None = None,
    *,
    margin: float = 0.02,
    level: float = 0.95,
) -> PairedResult:
    """Compare (ours, theirs) scores in [0, 1] item by item; `clusters` names each pair's item or passage."""
    _check(pairs, margin)
    differences = [_snapped(ours - theirs) for ours, theirs in pairs]
    gathered = units(differences, clusters)
    is_grouped = len(gathered) < len(pairs)
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if not is_grouped and all(score in {0, 1} for pair in pairs for score in pair):
        inference = _yes_no_inference(wins, losses, len(pairs), level=level)
    else:
        inference = _mean_inference(gathered, level=level, is_grouped=is_grouped)
    return PairedResult(
        difference=unit_mean(gathered),
        standard_error=unit_standard_error(gathered),
        interval=_reconciled(inference.interval, inference.tested),
        correlation=_correlation(pairs),
        wins=wins,
        losses=losses,
        ties=len(pairs) - wins - losses,
        clusters=len(gathered) if is_grouped else None,
        p_value=inference.tested.p_value,
        test=inference.tested.test,
        minimum_detectable_effect=inference.detectable,
        margin=margin,
    )


class _Inference(NamedTuple):
    tested: Significance
    interval: Interval
    detectable: float | None


def _yes_no_inference(wins: int, losses: int, n: int, *, level: float) -> _Inference:
    detectable = detectable_by_mcnemar(n, (wins + losses) / n, level=level)
    return _Inference(mcnemar(wins, losses), tango(wins, losses, n, level=level), detectable)


def _mean_inference(gathered: Sequence[Unit], *, level: float, is_grouped: bool) -> _Inference:
    mean, standard_error, count = unit_mean(gathered), unit_standard_error(gathered), len(gathered)
    tested = sign_flip([unit.total for unit in gathered])
    detectable = detectable_by_mean(standard_error or 0.0, count, level=level)
    if not standard_error:
        return _Inference(tested, unanimous_interval(mean, count, least=-1.0, level=level), detectable)
    reach = student_quantile(level, count - 1) * standard_error
    method = IntervalMethod.CLUSTERED_STUDENT if is_grouped else IntervalMethod.STUDENT
    return _Inference(
        tested, Interval(max(-1.0, mean - reach), min(1.0, mean + reach), method, level), detectable
    )


def _reconciled(interval: Interval, tested: Significance) -> Interval:
    """Widened to reach zero where the test does not exclude it, so that the two do not contradict."""
    if tested.p_value < interval.alpha:
        return interval
    return dataclasses.replace(interval, low=min(interval.low, 0.0), high=max(interval.high, 0.0))


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if max(ours) - min(ours) < _DUST or max(theirs) - min(theirs) < _DUST:
        return None
    return statistics.correlation(ours, theirs)


def _snapped(difference: float) -> float:
    return 0.0 if abs(difference) < _DUST else difference


def _check(pairs: Sequence[tuple[float, float]], margin: float) -> None:
    if not pairs:
        raise InvalidValueError("nothing to compare: no item was scored for both models")
    if any(not 0 <= score <= 1 for pair in pairs for score in pair):
        raise InvalidValueError("a score lies outside 0 to 1: scale the grader's values first")
    if margin <= 0:
        raise InvalidValueError(
            f"equivalence margin {margin!r}: give a share above 0, such as 0.02 for 2 points"
        )
