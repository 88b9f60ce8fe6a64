"""One model beside another, or beside a bar, item by item until it is decided."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from assay.domain.benchmark import ItemId
from assay.domain.run import EvaluationId, RunSpec
from assay.domain.stats import (
    BarSequence,
    BarVerdict,
    EquivalenceVerdict,
    PairedSequence,
    Population,
    Range,
    UnitScores,
    paired_limits,
    paired_value,
    plural,
    points,
    score_limits_at,
    single_value,
)
from assay.domain.stopping import Settled, StopRule
from assay.engine.results.sequential import Seen, shown_counts

_REVERSED = {"better": "worse", "worse": "better"}
_OPEN = (EquivalenceVerdict.INCONCLUSIVE, BarVerdict.INCONCLUSIVE)


class Entrant(NamedTuple):
    """An evaluation that takes part."""

    id: EvaluationId
    model: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What all comparisons on one benchmark share; `comparisons` is how many of the run share alpha.

    `items` would be asked in all, of the `population` of the benchmark.
    """

    benchmark: str
    rule: StopRule
    population: int
    samples: int
    items: int
    comparisons: int

    @classmethod
    def of(cls, spec: RunSpec, rule: StopRule, benchmark: str, *, asked: int, size: int) -> Self:
        """A subset is the beginning of the whole benchmark's order, and says something of the whole."""
        return cls(
            benchmark=benchmark,
            rule=rule,
            population=asked if spec.items else size,
            samples=spec.samples,
            items=asked,
            comparisons=rule.comparisons(len(spec.models), len(spec.benchmarks)),
        )

    @property
    def units(self) -> Population:
        return Population(self.population, self.population * self.samples, self.samples)

    @property
    def alpha(self) -> float:
        return self.rule.alpha / self.comparisons


class Contest:
    """One model beside another, or beside the bar; takes items in their order until it is decided."""

    def __init__(self, ours: Entrant, theirs: Entrant | None, terms: Terms) -> None:
        self.ours = ours
        self.theirs = theirs
        self.missing = 0
        self._terms = terms
        self._values: list[Range] = []
        rule, population, count = terms.rule, terms.units, terms.comparisons
        self._sequence = (
            BarSequence(population, rule.bar, alpha=rule.alpha, comparisons=count)
            if rule.bar is not None
            else PairedSequence(population, rule.equivalence, comparisons=count, until=rule.until)
        )

    @property
    def asked(self) -> int:
        return len(self._values)

    @property
    def verdict(self) -> str:
        return self._sequence.verdict.value

    @property
    def is_decided(self) -> bool:
        return self._sequence.verdict not in _OPEN

    @property
    def decided_after(self) -> int | None:
        return self._sequence.units if self.is_decided else None

    @property
    def against(self) -> str:
        return f"bar of {self._terms.rule.bar:g}" if self.theirs is None else self.theirs.model

    @property
    def standing(self) -> str:
        """How it stands, for whoever waits; no claim unless it is decided."""
        where = f"{self.ours.model} and {self.against} on {self._terms.benchmark}"
        if self.theirs is None:
            where = f"{self.ours.model} and the {self.against} on {self._terms.benchmark}"
        count = f"{self.asked:,} of {plural(self._terms.items, 'item')}"
        if self.is_decided:
            return f"{where}: decided after {count}, {self.verdict}"
        if not self.asked:
            return f"{where}: not decided"
        return f"{where}: not decided after {count}, {self._mean()} so far"

    def _mean(self) -> str:
        low, high = (math.fsum(side) / self.asked for side in zip(*self._values, strict=True))
        if self.theirs is not None:
            low, high = 2 * low - 1, 2 * high - 1
        what, unit = ("score", "%") if self.theirs is None else ("difference", "points")
        between = points(low) if points(low) == points(high) else f"{points(low)} to {points(high)}"
        return f"{what} {between} {unit}"

    def involves(self, evaluation_id: EvaluationId) -> bool:
        return evaluation_id in (self.ours.id, self.theirs and self.theirs.id)

    def settled_for(self, evaluation_id: EvaluationId) -> Settled:
        verdict, against = self.verdict, self.against
        if evaluation_id != self.ours.id:
            verdict, against = _REVERSED.get(verdict, verdict), self.ours.model
        return Settled(against, verdict, self.asked)

    def advance(
        self, order: Sequence[ItemId], scores: Mapping[EvaluationId, Mapping[ItemId, Sequence[float | None]]]
    ) -> None:
        """What is finished out of turn waits for the items before it."""
        samples = self._terms.samples
        sides = [self.ours] if self.theirs is None else [self.ours, self.theirs]
        while not self.is_decided and self.asked < len(order):
            item = order[self.asked]
            known = [scores[one.id].get(item, ()) for one in sides]
            if any(len(own) < samples for own in known):
                return
            self._add([UnitScores(tuple(one for one in own if one is not None), samples) for own in known])

    def _add(self, units: Sequence[UnitScores]) -> None:
        self.missing += sum(one.size - len(one.scores) for one in units)
        population = self._terms.units
        if isinstance(self._sequence, BarSequence):
            self._values.append(single_value(units[0], population))
            self._sequence.add(units[0])
        else:
            self._values.append(paired_value(units[0], units[1], population))
            self._sequence.add(units[0], units[1])

    def result(self) -> "ContestResult":
        at = shown_counts(self.asked)
        limits = paired_limits if self.theirs is not None else score_limits_at
        found = limits(self._values, self._terms.units, alpha=self._terms.alpha, at=at)
        return ContestResult(
            benchmark=self._terms.benchmark,
            ours=self.ours.model,
            theirs=None if self.theirs is None else self.theirs.model,
            against=self.against,
            verdict=self.verdict,
            decided_after=self.decided_after,
            asked=self.asked,
            items=self._terms.items,
            missing=self.missing,
            margin=self._terms.rule.margin,
            is_beyond_margin=self._terms.rule.until == "equivalent",
            sequence=tuple(Seen(count, one) for count, one in zip(at, found, strict=True)),
        )


@dataclass(frozen=True, slots=True)
class ContestResult:
    """`decided_after` items of the order there was a verdict; `asked` of them counted so far.

    `sequence` is the confidence sequence of the difference, or of the score where there is a bar. `missing`
    are attempts among those asked that ended without a verdict.
    """

    benchmark: str
    ours: str
    theirs: str | None
    against: str
    verdict: str
    decided_after: int | None
    asked: int
    items: int
    missing: int
    margin: float
    is_beyond_margin: bool
    sequence: tuple[Seen, ...]

    @property
    def sentence(self) -> str:
        said = f"{self._claim()}: {self._count()}."
        if not self.sequence:
            return said
        last = self.sequence[-1]
        what, unit = ("the score", "%") if self.theirs is None else ("the difference", "points")
        missing = f", with {plural(self.missing, 'missing score')} at the worst" if self.missing else ""
        low, high = points(last.limits.low), points(last.limits.high)
        return (
            f"{said} After {plural(last.items, 'item')} {what} lies between {low} and {high} {unit}{missing}."
        )

    def _claim(self) -> str:
        where = f"on {self.benchmark}"
        beyond = f" by more than {100 * self.margin:g} points" if self.is_beyond_margin else ""
        if self.decided_after is None:
            between = f"whether {self.ours} is above" if self.theirs is None else f"between {self.ours} and"
            the = " the" if self.theirs is None else ""
            return f"Not decided {between}{the} {self.against} {where}"
        if self.theirs is None:
            return f"{self.ours} is {self.verdict} the {self.against} {where}"
        if self.verdict == EquivalenceVerdict.EQUIVALENT:
            within = f"within {100 * self.margin:g} points"
            return f"{self.ours} and {self.theirs} are equivalent {where} {within}"
        return f"{self.ours} is {self.verdict} than {self.theirs} {where}{beyond}"

    def _count(self) -> str:
        if self.decided_after is None:
            return f"{self.asked:,} of {plural(self.items, 'item')} asked"
        return f"decided after {self.decided_after:,} of {plural(self.items, 'item')}"
