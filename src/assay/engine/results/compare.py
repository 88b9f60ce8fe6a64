"""Compares models: paired by item, corrected for multiple comparisons, with a sentence on the result."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.domain.benchmark import ItemId
from assay.domain.fingerprint import differences
from assay.domain.run import Evaluation
from assay.domain.stats import PairedResult, holm, paired_difference, sentence
from assay.engine.stores.attempts import AttemptStore


@dataclass(frozen=True, slots=True)
class Comparison:
    """`differing` names the parts of the fingerprints that differ; the result is then only indicative."""

    ours: Evaluation
    theirs: Evaluation
    result: PairedResult | None
    differing: tuple[str, ...]

    @property
    def sentence(self) -> str:
        names = {"ours": self.ours.model, "theirs": self.theirs.model}
        if names["ours"] == names["theirs"]:
            names = {
                side: f"{getattr(self, side).model} ({getattr(self, side).run_id[:8]})" for side in names
            }
        if self.result is None:
            return f"{names['ours']} and {names['theirs']} share no scored item on {self.ours.benchmark}."
        said = sentence(self.result, **names, benchmark=self.ours.benchmark)
        if not self.differing:
            return said
        return f"{said} Not like for like: {', '.join(self.differing)} differ."


async def compare(
    attempts: AttemptStore, pairs: Sequence[tuple[Evaluation, Evaluation]]
) -> tuple[Comparison, ...]:
    """Compare each pair on the items both have a verdict for; p-values are adjusted (Holm) over all pairs."""
    results = [await _result(attempts, ours, theirs) for ours, theirs in pairs]
    known = [result for result in results if result is not None]
    if len(known) > 1:
        adjusted = iter(holm([result.p_value for result in known]))
        results = [result.adjusted(next(adjusted)) if result is not None else None for result in results]
    return tuple(
        Comparison(ours, theirs, result, differences(ours.fingerprint, theirs.fingerprint))
        for (ours, theirs), result in zip(pairs, results, strict=True)
    )


async def _result(attempts: AttemptStore, ours: Evaluation, theirs: Evaluation) -> PairedResult | None:
    our_scores, their_scores = await _item_scores(attempts, ours), await _item_scores(attempts, theirs)
    shared = sorted(our_scores.keys() & their_scores.keys())
    if not shared:
        return None
    pairs = [(our_scores[item], their_scores[item]) for item in shared]
    # Half a second for twelve thousand partial scores: too long for an event loop that others wait on.
    return await asyncio.to_thread(paired_difference, pairs)


async def _item_scores(attempts: AttemptStore, evaluation: Evaluation) -> Mapping[ItemId, float]:
    """Mean score of each item over its samples that have a verdict."""
    scores: dict[ItemId, list[float]] = defaultdict(list)
    async for attempt in attempts.results(evaluation.id):
        if attempt.score is not None:
            scores[attempt.item_id].append(attempt.score)
    return {item: sum(values) / len(values) for item, values in scores.items()}


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
