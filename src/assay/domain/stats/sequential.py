"""Decisions after any number of items of a benchmark that is asked in one seeded random order.

Whoever decides may look after every item: with a probability of at least 1 - alpha no claim that is ever made
is wrong. It is a claim about the whole benchmark: what the same answers to all of its items would show.

A decision depends on the order and the scores of its first units alone, not on when or how often one looked.
So the scores of units that are finished out of turn wait for those before them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from assay.domain.errors import InvalidValueError
from assay.domain.stats.betting import BettingTest
from assay.domain.stats.equivalence import EquivalenceRule, EquivalenceVerdict, Range

_PRECISION = 2e-5


class BarVerdict(StrEnum):
    """On which side of a bar the score lies."""

    ABOVE = "above"
    BELOW = "below"
    INCONCLUSIVE = "inconclusive"


class UnitScores(NamedTuple):
    """The scores of one unit's attempts that have a verdict, out of `size`; the others are missing.

    A unit is what the order draws: all samples of an item or, where passages are drawn whole, of all items
    of a passage.
    """

    scores: Sequence[float]
    size: int = 1


@dataclass(frozen=True, slots=True)
class Population:
    """All units of the benchmark: how many, the attempts in them at one model, and the largest unit.

    Units count by their attempts, as items do in the score. Where they differ in size, a smaller one bears
    less evidence than it could: the bound of the largest holds for all.
    """

    units: int
    attempts: int
    largest: int

    @classmethod
    def of(cls, sizes: Sequence[int]) -> "Population":
        if not sizes or min(sizes) < 1:
            raise InvalidValueError("a benchmark has at least one unit, and a unit at least one attempt")
        return cls(len(sizes), sum(sizes), max(sizes))

    @property
    def scale(self) -> float:
        """From the mean over attempts to the mean of the units' totals over the largest size."""
        return self.attempts / (self.units * self.largest)


class PairedSequence:
    """Whether one model is better or worse than another on the same items, or equivalent within a margin.

    Better: the mean difference exceeds 0; worse: it is below; equivalent: it lies within the margin. Claims
    that the mean is larger than something share half of alpha, and those that it is smaller the other half:
    evidence against the true mean bounds that against all beyond it. Several pairs each take alpha divided by
    their number (Bonferroni), also after some are settled. Holm's method would not hold here: a pair that is
    settled has had its chance of a wrong claim.
    """

    def __init__(
        self,
        population: Population,
        rule: EquivalenceRule,
        *,
        comparisons: int = 1,
        until: Literal["decided", "equivalent", "better"] = "decided",
    ) -> None:
        """Until equivalent: a lead settles it only beyond the margin. Until better: no equivalence does."""
        self._population = population
        self._enough = 2 * max(1, comparisons) / rule.alpha
        self._lead = rule.margin if until == "equivalent" else 0.0
        self._within = None if until == "better" else -rule.margin
        nulls = [self._lead] + ([] if self._within is None else [self._within])
        self._above = {null: _paired_test(null, population) for null in nulls}
        self._below = {null: _paired_test(null, population) for null in nulls}
        self.units = 0
        self.verdict = EquivalenceVerdict.INCONCLUSIVE

    def add(self, ours: UnitScores, theirs: UnitScores) -> EquivalenceVerdict:
        """The next unit of the order; a verdict that was reached stays, and `units` with it."""
        if self.verdict is not EquivalenceVerdict.INCONCLUSIVE:
            return self.verdict
        value = paired_value(ours, theirs, self._population)
        self.units += 1
        for test in self._above.values():
            test.add(value.low)
        for test in self._below.values():
            test.add(1 - value.high)
        self.verdict = self._reached()
        return self.verdict

    def _reached(self) -> EquivalenceVerdict:
        above, below = (
            {null for null, test in side.items() if test.peak >= self._enough} for side in self._sides
        )
        if self._within in above and self._within in below:
            return EquivalenceVerdict.EQUIVALENT
        if self._lead in above or self._lead in below:
            return EquivalenceVerdict.BETTER if self._lead in above else EquivalenceVerdict.WORSE
        return EquivalenceVerdict.INCONCLUSIVE

    @property
    def _sides(self) -> tuple[dict[float, BettingTest], dict[float, BettingTest]]:
        return self._above, self._below


class BarSequence:
    """Whether the score of one model lies above a bar or below it."""

    def __init__(
        self, population: Population, bar: float, *, alpha: float = 0.05, comparisons: int = 1
    ) -> None:
        if not 0 <= bar <= 1 or not 0 < alpha < 1:
            raise InvalidValueError(f"bar {bar!r}, alpha {alpha!r}: give 0 <= bar <= 1 and 0 < alpha < 1")
        self._population = population
        self._enough = 2 * max(1, comparisons) / alpha
        null = bar * population.scale
        self._above = BettingTest(null, population.units)
        self._below = BettingTest(1 - null, population.units)
        self.units = 0
        self.verdict = BarVerdict.INCONCLUSIVE

    def add(self, scores: UnitScores) -> BarVerdict:
        """The next unit of the order; a verdict that was reached stays, and `units` with it."""
        if self.verdict is not BarVerdict.INCONCLUSIVE:
            return self.verdict
        value = single_value(scores, self._population)
        self.units += 1
        self._above.add(value.low)
        self._below.add(1 - value.high)
        if self._above.peak >= self._enough:
            self.verdict = BarVerdict.ABOVE
        elif self._below.peak >= self._enough:
            self.verdict = BarVerdict.BELOW
        return self.verdict


def paired_value(ours: UnitScores, theirs: UnitScores, population: Population) -> Range:
    """From 0 to 1, 1/2 for no difference: the least and the most that the difference of a unit can be."""
    first, second = _total(ours, population), _total(theirs, population)
    least, most = first.low - second.high, first.high - second.low
    return Range((1 + least / population.largest) / 2, (1 + most / population.largest) / 2)


def single_value(scores: UnitScores, population: Population) -> Range:
    """From 0 to 1: the least and the most that a unit can have scored."""
    total = _total(scores, population)
    return Range(total.low / population.largest, total.high / population.largest)


def paired_limits(
    values: Sequence[Range], population: Population, *, alpha: float, at: Iterable[int]
) -> list[Range]:
    """The confidence sequence of the mean difference after so many `paired_value`s: all hold together."""
    return [
        Range(_difference(one.low, population), _difference(one.high, population))
        for one in _limits(values, population.units, alpha=alpha, at=at)
    ]


def score_limits_at(
    values: Sequence[Range], population: Population, *, alpha: float, at: Iterable[int]
) -> list[Range]:
    """The confidence sequence of the score after so many `single_value`s: all hold together."""
    return [
        Range(min(1.0, one.low / population.scale), min(1.0, one.high / population.scale))
        for one in _limits(values, population.units, alpha=alpha, at=at)
    ]


def _limits(values: Sequence[Range], units: int, *, alpha: float, at: Iterable[int]) -> list[Range]:
    """Never wider than before: what was rejected once stays so."""
    enough = 2 / alpha
    lows, highs = [one.low for one in values], [1 - one.high for one in values]
    low = high = 0.0
    found: list[Range] = []
    for count in at:
        low = _lower_limit(lows[:count], units, enough, known=low)
        high = _lower_limit(highs[:count], units, enough, known=high)
        found.append(Range(low, 1 - high))
    return found


def _lower_limit(values: Sequence[float], units: int, enough: float, *, known: float) -> float:
    """The largest null that is rejected, by bisection from one that is `known` to be."""
    low, high = known, 1.0
    while high - low > _PRECISION:
        middle = (low + high) / 2
        low, high = (middle, high) if _is_rejected(middle, values, units, enough) else (low, middle)
    return low


def _is_rejected(null: float, values: Sequence[float], units: int, enough: float) -> bool:
    test = BettingTest(null, units)
    for value in values:
        test.add(value)
        if test.peak >= enough:
            return True
    return False


def _paired_test(null: float, population: Population) -> BettingTest:
    return BettingTest((1 + null * population.scale) / 2, population.units)


def _difference(value: float, population: Population) -> float:
    return max(-1.0, min(1.0, (2 * value - 1) / population.scale))


def _total(unit: UnitScores, population: Population) -> Range:
    """The sum of a unit's scores if every missing one were 0, and if every one were 1."""
    if not len(unit.scores) <= unit.size <= population.largest:
        raise InvalidValueError(
            f"a unit with {len(unit.scores)} scores of {unit.size} attempts: give at most as many scores,"
            f" and at most {population.largest} attempts, as the largest unit has"
        )
    if any(not 0 <= score <= 1 for score in unit.scores):
        raise InvalidValueError("a score lies outside 0 to 1: scale the grader's values first")
    # Rounding of partial scores must not take the sum past what they can be.
    known = min(math.fsum(unit.scores), float(len(unit.scores)))
    return Range(known, known + unit.size - len(unit.scores))
