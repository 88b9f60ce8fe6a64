"""What stored answers show so far: comparisons that hold whenever one looks, in the order of the draw."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError
from assay.domain.fingerprint import differences
from assay.domain.run import Evaluation, EvaluationId, RunSpec
from assay.domain.shard import execution_order_of
from assay.domain.stats import (
    EquivalenceRule,
    EquivalenceVerdict,
    PairedSequence,
    Population,
    Range,
    UnitScores,
    paired_limits,
    paired_value,
    plural,
    points,
)
from assay.engine.results.compare import model_pairs
from assay.engine.stores import Stores

_FEWEST_SHOWN = 10
_MOST_SHOWN = 30
MOST_SHOWN_ITEMS = 20_000


@dataclass(frozen=True, slots=True)
class Seen:
    """What the difference may be after so many items of the order."""

    items: int
    limits: Range


@dataclass(frozen=True, slots=True)
class SequentialComparison:
    """`decided_after` items of the order there was a verdict; `asked` are complete at both models so far.

    `sequence` is the confidence sequence: its intervals hold together. `missing` are the attempts among those
    asked that ended without a verdict.
    """

    ours: Evaluation
    theirs: Evaluation
    verdict: EquivalenceVerdict
    decided_after: int | None
    asked: int
    items: int
    missing: int
    margin: float
    sequence: tuple[Seen, ...]

    @property
    def sentence(self) -> str:
        first, last = self._said(), self._interval()
        return f"{first}. {last}." if last else f"{first}."

    def _said(self) -> str:
        ours, theirs = self.ours.model, self.theirs.model
        if ours == theirs:
            ours, theirs = f"{ours} ({self.ours.run_id[:8]})", f"{theirs} ({self.theirs.run_id[:8]})"
        where = f"on {self.ours.benchmark}"
        if self.decided_after is None:
            asked = f"{self.asked:,} of {plural(self.items, 'item')} asked"
            return f"Not decided between {ours} and {theirs} {where}: {asked}"
        after = f"decided after {self.decided_after:,} of {plural(self.items, 'item')}"
        if self.verdict is EquivalenceVerdict.EQUIVALENT:
            within = f"within {100 * self.margin:g} points"
            return f"{ours} and {theirs} are equivalent {where} {within}: {after}"
        return f"{ours} is {self.verdict} than {theirs} {where}: {after}"

    def _interval(self) -> str:
        if not self.sequence:
            return ""
        last = self.sequence[-1]
        missing = f", with {plural(self.missing, 'missing score')} at the worst" if self.missing else ""
        between = f"between {points(last.limits.low)} and {points(last.limits.high)} points"
        return f"After {plural(last.items, 'item')} the difference lies {between}{missing}"


async def sequential_comparisons(
    stores: Stores, run_ids: Sequence[str], rule: EquivalenceRule
) -> tuple[SequentialComparison, ...]:
    """Every two evaluations of a benchmark; all claims together are wrong with at most the rule's alpha."""
    specs: dict[EvaluationId, RunSpec] = {}
    evaluations: list[Evaluation] = []
    for run_id in run_ids:
        run = await stores.runs.get(run_id)
        own = await stores.runs.evaluations(run.id)
        evaluations += [one for one in own if one.id not in specs]
        specs |= {one.id: run.spec for one in own}
    pairs = model_pairs(evaluations)
    for ours, theirs in pairs:
        _require_one_order((ours, specs[ours.id]), (theirs, specs[theirs.id]))
    scores = {one.id: await _scores(stores, one) for pair in pairs for one in pair}
    return tuple(
        [
            # Seconds for tens of thousands of items: too long for an event loop that others wait on.
            await asyncio.to_thread(
                _compared, ours, theirs, specs[ours.id], scores, rule=rule, comparisons=len(pairs)
            )
            for ours, theirs in pairs
        ]
    )


def _require_one_order(ours: tuple[Evaluation, RunSpec], theirs: tuple[Evaluation, RunSpec]) -> None:
    named = f"{ours[0].model!r} and {theirs[0].model!r} on {ours[0].benchmark!r}"
    differing = differences(ours[0].fingerprint, theirs[0].fingerprint)
    if differing:
        raise InvalidValueError(f"{named} were not asked the same: {', '.join(differing)} differ")
    specs = (ours[1], theirs[1])
    if any(spec.item_order == "data" for spec in specs) or specs[0].subset.seed != specs[1].subset.seed:
        raise InvalidValueError(
            f"{named} were not asked in one random order, so nothing holds before all is asked:"
            " compare them once all is asked"
        )


_Scores = Mapping[ItemId, Sequence[float | None]]


async def _scores(stores: Stores, evaluation: Evaluation) -> _Scores:
    """The scores of the attempts that are stored; None for those without a verdict."""
    found: dict[ItemId, list[float | None]] = defaultdict(list)
    async for attempt in stores.attempts.results(evaluation.id):
        found[attempt.item_id].append(attempt.score)
    return found


def _compared(
    ours: Evaluation,
    theirs: Evaluation,
    spec: RunSpec,
    scores: Mapping[EvaluationId, _Scores],
    *,
    rule: EquivalenceRule,
    comparisons: int,
) -> SequentialComparison:
    """A subset is the beginning of the whole benchmark's order, and says something of the whole."""
    items = len(ours.item_ids) if spec.items else ours.benchmark_size
    population = Population(items, items * ours.samples, ours.samples)
    sequence = PairedSequence(population, rule, comparisons=comparisons)
    values: list[Range] = []
    missing = 0
    for place in execution_order_of(ours, spec):
        item = ours.item_ids[place]
        both = [scores[one.id].get(item, ()) for one in (ours, theirs)]
        if any(len(own) < ours.samples for own in both):
            # What is finished out of turn waits for this one.
            break
        units = [UnitScores(tuple(score for score in own if score is not None), ours.samples) for own in both]
        missing += sum(one.size - len(one.scores) for one in units)
        values.append(paired_value(units[0], units[1], population))
        sequence.add(units[0], units[1])
    is_decided = sequence.verdict is not EquivalenceVerdict.INCONCLUSIVE
    at = shown_counts(len(values))
    limits = paired_limits(values, population, alpha=rule.alpha / comparisons, at=at)
    return SequentialComparison(
        ours=ours,
        theirs=theirs,
        verdict=sequence.verdict,
        decided_after=sequence.units if is_decided else None,
        asked=len(values),
        items=items,
        missing=missing,
        margin=rule.margin,
        sequence=tuple(Seen(count, one) for count, one in zip(at, limits, strict=True)),
    )


def shown_counts(asked: int) -> list[int]:
    """Up to thirty numbers of items, closer together at the beginning, where the most happens.

    None beyond those after which a limit would take seconds; limits hold for all that comes after as well.
    """
    asked = min(asked, MOST_SHOWN_ITEMS)
    if not asked:
        return []
    first = min(_FEWEST_SHOWN, asked)
    growth = (asked / first) ** (1 / (_MOST_SHOWN - 1))
    return sorted({min(asked, round(first * growth**step)) for step in range(_MOST_SHOWN)} | {asked})
