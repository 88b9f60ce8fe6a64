"""Compares models: paired by item, corrected for multiple comparisons, with a sentence on the result."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.domain.benchmark import ItemId
from assay.domain.fingerprint import differences
from assay.domain.run import Evaluation, EvaluationId
from assay.domain.stats import PairedResult, holm, paired_difference, points, sentence
from assay.engine.stores.attempts import AttemptStore


@dataclass(frozen=True, slots=True)
class Comparison:
    """`differing` names the parts of the fingerprints that differ; the result is then only indicative.

    `names_runs` is set where the models' names alone do not tell which evaluations were compared.
    `noise_floor` is what the scores would differ by if the same models were asked again, where that is known.
    """

    ours: Evaluation
    theirs: Evaluation
    result: PairedResult | None
    differing: tuple[str, ...]
    names_runs: bool = False
    noise_floor: float | None = None

    @property
    def is_within_noise(self) -> bool:
        """Whether asking the same models again may change as much; not where they scored the same."""
        if self.result is None or self.noise_floor is None:
            return False
        return 0 < abs(self.result.difference) <= self.noise_floor

    @property
    def sentence(self) -> str:
        names = {"ours": self.ours.model, "theirs": self.theirs.model}
        if self.names_runs or self.ours.model == self.theirs.model:
            sides = {"ours": self.ours, "theirs": self.theirs}
            names = {side: f"{one.model} ({one.run_id[:8]})" for side, one in sides.items()}
        if self.result is None:
            return f"{names['ours']} and {names['theirs']} share no scored item on {self.ours.benchmark}."
        said = sentence(self.result, **names, benchmark=self.ours.benchmark)
        if self.is_within_noise:
            said += (
                f" Within the noise floor: asking again changes up to {points(self.noise_floor or 0)} points."
            )
        if any(one.summary and one.summary.stopped for one in (self.ours, self.theirs)):
            said += " Stopped early by these very scores, so this says too much: see what the race settled."
        if not self.differing:
            return said
        return f"{said} Not like for like: they differ in {', '.join(self.differing)}."


async def compare(
    attempts: AttemptStore, pairs: Sequence[tuple[Evaluation, Evaluation]]
) -> tuple[Comparison, ...]:
    """Compare each pair on the items both have a verdict for; p-values are adjusted (Holm) over all pairs."""
    scores = ItemScores(attempts)
    compared = {one.id: one for pair in pairs for one in pair}
    named = Counter((one.model, one.benchmark) for one in compared.values())
    found = [await comparison(scores, ours, theirs) for ours, theirs in pairs]
    return adjusted(
        [
            replace(
                one, names_runs=any(named[side.model, side.benchmark] > 1 for side in (one.ours, one.theirs))
            )
            for one in found
        ]
    )


def adjusted(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The same comparisons with p-values that are corrected (Holm) for their number."""
    p_values = [one.result.p_value for one in comparisons if one.result is not None]
    if len(p_values) <= 1:
        return tuple(comparisons)
    corrected = iter(holm(p_values))
    return tuple(
        replace(one, result=one.result.adjusted(next(corrected))) if one.result else one
        for one in comparisons
    )


class ItemScores:
    """The mean score of each item over its samples that have a verdict, read once for each evaluation."""

    def __init__(self, attempts: AttemptStore) -> None:
        self._attempts = attempts
        self._known: dict[EvaluationId, Mapping[ItemId, float]] = {}

    async def of(self, evaluation: Evaluation) -> Mapping[ItemId, float]:
        if evaluation.id not in self._known:
            scores: dict[ItemId, list[float]] = defaultdict(list)
            async for key, score in self._attempts.verdicts(evaluation.id):
                scores[key.item_id].append(score)
            self._known[evaluation.id] = {item: sum(values) / len(values) for item, values in scores.items()}
        return self._known[evaluation.id]


async def comparison(scores: ItemScores, ours: Evaluation, theirs: Evaluation) -> Comparison:
    our_scores, their_scores = await scores.of(ours), await scores.of(theirs)
    # Half a second for twelve thousand partial scores: too long for an event loop that others wait on.
    result = await asyncio.to_thread(_result, our_scores, their_scores)
    return Comparison(ours, theirs, result, differences(ours.fingerprint, theirs.fingerprint))


def _result(ours: Mapping[ItemId, float], theirs: Mapping[ItemId, float]) -> PairedResult | None:
    shared = sorted(ours.keys() & theirs.keys())
    return paired_difference([(ours[item], theirs[item]) for item in shared]) if shared else None


def model_pairs(evaluations: Sequence[Evaluation]) -> list[tuple[Evaluation, Evaluation]]:
    """Every two evaluations of the same benchmark, in the order given."""
    by_benchmark: dict[str, list[Evaluation]] = defaultdict(list)
    for evaluation in evaluations:
        by_benchmark[evaluation.benchmark].append(evaluation)
    return [
        (members[i], members[j])
        for members in by_benchmark.values()
        for i in range(len(members))
        for j in range(i + 1, len(members))
    ]
