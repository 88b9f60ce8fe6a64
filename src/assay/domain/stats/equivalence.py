"""Whether two endpoints score the same on the same items: equivalence within a margin."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from assay.domain.errors import InvalidValueError
from assay.domain.stats.clusters import Unit, unit_mean, units
from assay.domain.stats.paired import PairedResult, Verdict, paired_difference
from assay.domain.stats.power import pairs_needed
from assay.domain.stats.special import normal_quantile

_LARGEST_MARGIN = 0.5


class EquivalenceVerdict(StrEnum):
    """The conclusion about a candidate that should score like the reference."""

    EQUIVALENT = "equivalent"
    WORSE = "worse"
    BETTER = "better"
    INCONCLUSIVE = "inconclusive"


class ItemScores(NamedTuple):
    """The scores of one item's samples that have a verdict; the others are missing."""

    ours: Sequence[float]
    theirs: Sequence[float]
    cluster: str


class Range(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EquivalenceResult:
    """Mean of (ours - theirs): `paired` over what was scored at both, `limits` over all that was planned.

    `limits` take every missing score at its worst for a claim of equivalence. `items_needed` is for the
    spread that was seen; None where nothing was scored at both.
    """

    paired: PairedResult | None
    limits: Range
    planned: int
    missing: int
    margin: float
    level: float
    items_needed: int | None

    @property
    def verdict(self) -> EquivalenceVerdict:
        """A difference that lies within the margin for certain is equivalent, even if it is not zero."""
        if -self.margin <= self.limits.low and self.limits.high <= self.margin:
            return EquivalenceVerdict.EQUIVALENT
        if self.paired is not None and self.paired.verdict is Verdict.WORSE:
            return EquivalenceVerdict.WORSE
        if self.paired is not None and self.paired.verdict is Verdict.BETTER:
            return EquivalenceVerdict.BETTER
        return EquivalenceVerdict.INCONCLUSIVE


@dataclass(frozen=True, slots=True)
class EquivalenceRule:
    """`alpha` bounds the chance of any wrong claim about a family of candidates."""

    margin: float = 0.03
    alpha: float = 0.05
    # The chance of finding a loss of the margin, and of showing that there is none, at the size needed.
    power: float = 0.9

    def __post_init__(self) -> None:
        if not 0 < self.margin <= _LARGEST_MARGIN:
            raise InvalidValueError(
                f"margin must be above 0 and at most {_LARGEST_MARGIN:g}, such as 0.03 for 3 points,"
                f" not {self.margin:g}"
            )
        if not 0 < self.alpha < 0.5:  # noqa: PLR2004  more would be no evidence at all
            raise InvalidValueError(f"alpha must lie between 0 and 0.5, not {self.alpha:g}")
        if not 0.5 <= self.power < 1:  # noqa: PLR2004  less would find nothing
            raise InvalidValueError(f"power must be at least 0.5 and below 1, not {self.power:g}")

    def level(self, candidates: int) -> float:
        """Of each candidate's interval, so that all of a family hold together (Bonferroni)."""
        return 1 - self.alpha / max(1, candidates)

    def items_needed(self, noise: float, candidates: int = 1) -> int:
        return pairs_needed(noise, self.margin, level=self.level(candidates), power=self.power)


def equivalence(
    items: Sequence[ItemScores], *, samples: int, rule: EquivalenceRule, candidates: int = 1
) -> EquivalenceResult:
    """Judge one of several `candidates`; `items` are all that were planned, with `samples` attempts each."""
    if not items:
        raise InvalidValueError("nothing to compare: no item was asked at both endpoints")
    level = rule.level(candidates)
    both = [item for item in items if item.ours and item.theirs]
    pairs = [(_mean(item.ours), _mean(item.theirs)) for item in both]
    paired = (
        paired_difference(pairs, [item.cluster for item in both], margin=rule.margin, level=level)
        if both
        else None
    )
    return EquivalenceResult(
        paired=paired,
        limits=_limits(items, samples=samples, level=level),
        planned=len(items),
        missing=sum(2 * samples - len(item.ours) - len(item.theirs) for item in items),
        margin=rule.margin,
        level=level,
        items_needed=rule.items_needed(_square_mean(pairs), candidates) if pairs else None,
    )


def same_model_noise(within_variance: float, items: int, *, samples: int) -> float:
    """Mean square of an item's difference between two endpoints of one model, asked `samples` times each.

    With half a variance more than was seen on `items` repeated items, that of one flip: no flip among few
    items does not promise none among many.
    """
    return 2 * (within_variance + 0.5 / items) / samples


def _limits(items: Sequence[ItemScores], *, samples: int, level: float) -> Range:
    lowest = [_filled(one.ours, 0.0, samples) - _filled(one.theirs, 1.0, samples) for one in items]
    highest = [_filled(one.ours, 1.0, samples) - _filled(one.theirs, 0.0, samples) for one in items]
    clusters = [one.cluster for one in items]
    low, high = units(lowest, clusters), units(highest, clusters)
    return Range(
        max(-1.0, unit_mean(low) - _reach(low, level)), min(1.0, unit_mean(high) + _reach(high, level))
    )


def _reach(gathered: Sequence[Unit], level: float) -> float:
    """Half-width of a score interval for a mean of values within [-1, 1], where differences may be rare.

    A mean that lies d further out needs more of the rare differences, and with them up to d more of mean
    square: solving d² = z² (square + d / n) for d gives the limits that Wilson's and exact intervals have for
    few events, where Student's are far too narrow, and the normal ones for many.
    """
    count = sum(unit.size for unit in gathered)
    z = normal_quantile(level)
    square = math.fsum(unit.total * unit.total for unit in gathered) / count**2
    rare = z * z * max(unit.size for unit in gathered) / (2 * count)
    return rare + math.sqrt(z * z * square + rare * rare)


def _filled(scores: Sequence[float], missing: float, samples: int) -> float:
    return (math.fsum(scores) + missing * (samples - len(scores))) / samples


def _mean(scores: Sequence[float]) -> float:
    return math.fsum(scores) / len(scores)


def _square_mean(pairs: Sequence[tuple[float, float]]) -> float:
    return math.fsum((ours - theirs) ** 2 for ours, theirs in pairs) / len(pairs)
