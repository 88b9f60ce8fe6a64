"""Compares every other model of a run with its reference, from the stored attempts."""

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.domain.fingerprint import differences
from assay.domain.run import Evaluation, Run, RunId, State
from assay.domain.stats import (
    EquivalenceResult,
    EquivalenceRule,
    EquivalenceVerdict,
    ItemScores,
    RepeatNoise,
    equivalence,
    repeat_noise,
    same_model_noise,
)
from assay.engine.fidelity.divergence import DivergenceTally
from assay.engine.fidelity.facts import BenchmarkItem, ModelFacts, ModelTally, StoredFacts
from assay.engine.stores import Stores

_ORDER = (EquivalenceVerdict.WORSE, EquivalenceVerdict.BETTER, EquivalenceVerdict.INCONCLUSIVE)


@dataclass(frozen=True, slots=True)
class BenchmarkScores:
    """Means over the `n` items that have a score at both."""

    benchmark: str
    candidate: float | None
    reference: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Candidate:
    facts: ModelFacts
    result: EquivalenceResult
    benchmarks: tuple[BenchmarkScores, ...]


@dataclass(frozen=True, slots=True)
class FidelityReport:
    """`own` compares the first two samples of the reference with each other, and `noise` is from all of them.

    `items_needed` are those after which a candidate's loss of the margin, or that there is none, is found
    with the rule's power; None if the reference was asked once.
    """

    run_id: RunId
    state: State
    rule: EquivalenceRule
    benchmarks: tuple[str, ...]
    items: int
    samples: int
    temperature: float | None
    reference: ModelFacts
    own: EquivalenceResult | None
    noise: RepeatNoise | None
    items_needed: int | None
    candidates: tuple[Candidate, ...]

    @property
    def verdict(self) -> EquivalenceVerdict | None:
        """The worst of all candidates; None without one."""
        found = {one.result.verdict for one in self.candidates}
        if not found:
            return None
        return next((one for one in _ORDER if one in found), EquivalenceVerdict.EQUIVALENT)


async def fidelity_report(
    stores: Stores, run: Run, *, reference: str | None = None, rule: EquivalenceRule | None = None
) -> FidelityReport:
    """The reference is the first model of the run if none is named."""
    evaluations = await stores.runs.evaluations(run.id)
    by_model = _by_model(evaluations)
    named = reference or run.spec.models[0]
    if named not in by_model:
        raise UnknownNameError("model", named, remedy=f"the run has {', '.join(by_model)}")
    _require_like_for_like(by_model, named)
    reader = _Reader(stores, by_model.pop(named))
    read = await reader.reference()
    judge = _Judge(
        run,
        rule or EquivalenceRule(),
        await reader.clusters(),
        reader.temperature,
        read,
        [await reader.candidate(own, read.tally) for own in by_model.values()],
    )
    # Seconds for tens of thousands of items: too long for an event loop that others wait on.
    return await asyncio.to_thread(judge.report)


def _by_model(evaluations: Sequence[Evaluation]) -> dict[str, list[Evaluation]]:
    found: dict[str, list[Evaluation]] = {}
    for one in evaluations:
        found.setdefault(one.model, []).append(one)
    return found


def _require_like_for_like(by_model: Mapping[str, Sequence[Evaluation]], reference: str) -> None:
    theirs = {one.benchmark: one for one in by_model[reference]}
    for evaluations in by_model.values():
        for one in evaluations:
            other = theirs.get(one.benchmark)
            differing = differences(one.fingerprint, other.fingerprint) if other else ("benchmarks",)
            if differing:
                raise InvalidValueError(
                    f"{one.model!r} and {reference!r} were not asked the same on {one.benchmark!r}:"
                    f" {', '.join(differing)} differ"
                )


@dataclass(frozen=True, slots=True)
class _Read:
    tally: ModelTally
    facts: ModelFacts


class _Reader:
    """Reads the reference first, and then each candidate beside it."""

    def __init__(self, stores: Stores, evaluations: Sequence[Evaluation]) -> None:
        self._stores = stores
        self._evaluations = {one.benchmark: one for one in evaluations}
        temperatures = {one.generation.temperature for one in evaluations}
        self.temperature = temperatures.pop() if len(temperatures) == 1 else None

    async def clusters(self) -> dict[BenchmarkItem, str]:
        """All items that were planned, each with what it is clustered by."""
        found: dict[BenchmarkItem, str] = {}
        for name, one in self._evaluations.items():
            facts = await self._stores.runs.item_facts(one.id)
            own = {item: fact.cluster for item, fact in zip(one.item_ids, facts, strict=False)}
            found |= {(name, item): f"{name}\x1f{own.get(item) or item}" for item in one.item_ids}
        return found

    async def reference(self) -> _Read:
        evaluations = tuple(self._evaluations.values())
        tally, divergence = await self._tally(evaluations), DivergenceTally()
        if self.temperature == 0:
            for one in evaluations:
                await divergence.among(self._stores.attempts.answers(one.id))
        return _Read(tally, tally.facts(StoredFacts.of(evaluations), divergence=divergence.divergence))

    async def candidate(self, evaluations: Sequence[Evaluation], reference: ModelTally) -> _Read:
        tally, divergence = await self._tally(evaluations), DivergenceTally()
        if self.temperature == 0:
            answers = self._stores.attempts.answers
            for one in evaluations:
                await divergence.between(answers(one.id), answers(self._evaluations[one.benchmark].id))
        facts = tally.facts(
            StoredFacts.of(evaluations), divergence=divergence.divergence, reference=reference
        )
        return _Read(tally, facts)

    async def _tally(self, evaluations: Sequence[Evaluation]) -> ModelTally:
        tally = ModelTally()
        for one in evaluations:
            async for attempt in self._stores.attempts.whole(one.id):
                tally.add(one.benchmark, attempt)
        return tally


@dataclass(frozen=True, slots=True)
class _Judge:
    """Everything that was read, ready to be judged."""

    run: Run
    rule: EquivalenceRule
    clusters: Mapping[BenchmarkItem, str]
    temperature: float | None
    reference: _Read
    candidates: Sequence[_Read]

    def report(self) -> FidelityReport:
        noise = self._noise()
        samples, count = self.run.spec.samples, len(self.candidates)
        spread = (
            None if noise is None else same_model_noise(noise.within_variance, noise.items, samples=samples)
        )
        return FidelityReport(
            run_id=self.run.id,
            state=self.run.state,
            rule=self.rule,
            benchmarks=tuple(dict.fromkeys(name for name, _ in self.clusters)),
            items=len(self.clusters),
            samples=samples,
            temperature=self.temperature,
            reference=self.reference.facts,
            own=self._own(),
            noise=noise,
            items_needed=None if spread is None else self.rule.items_needed(spread, count),
            candidates=tuple(self._candidate(one) for one in self.candidates),
        )

    def _candidate(self, read: _Read) -> Candidate:
        ours, theirs = read.tally.scores, self.reference.tally.scores
        items = [
            ItemScores(tuple(ours.get(key, {}).values()), tuple(theirs.get(key, {}).values()), cluster)
            for key, cluster in self.clusters.items()
        ]
        result = equivalence(
            items, samples=self.run.spec.samples, rule=self.rule, candidates=len(self.candidates)
        )
        return Candidate(read.facts, result, self._by_benchmark(items))

    def _by_benchmark(self, items: Sequence[ItemScores]) -> tuple[BenchmarkScores, ...]:
        pairs: dict[str, list[tuple[float, float]]] = {}
        for (benchmark, _), item in zip(self.clusters, items, strict=True):
            own = pairs.setdefault(benchmark, [])
            if item.ours and item.theirs:
                own.append((statistics.fmean(item.ours), statistics.fmean(item.theirs)))
        return tuple(
            BenchmarkScores(
                benchmark,
                statistics.fmean(ours for ours, _ in own) if own else None,
                statistics.fmean(theirs for _, theirs in own) if own else None,
                len(own),
            )
            for benchmark, own in pairs.items()
        )

    def _own(self) -> EquivalenceResult | None:
        """The second sample of the reference against its first."""
        if self.run.spec.samples < 2:  # noqa: PLR2004 # nothing to compare
            return None
        scores = self.reference.tally.scores
        items = [
            ItemScores(_sample(scores.get(key, {}), 1), _sample(scores.get(key, {}), 0), cluster)
            for key, cluster in self.clusters.items()
        ]
        return equivalence(items, samples=1, rule=self.rule, candidates=len(self.candidates))

    def _noise(self) -> RepeatNoise | None:
        scores = [
            (value, "\x1f".join(key))
            for key, own in self.reference.tally.scores.items()
            for value in own.values()
        ]
        return repeat_noise([value for value, _ in scores], [item for _, item in scores])


def _sample(scores: Mapping[int, float], number: int) -> tuple[float, ...]:
    return (scores[number],) if number in scores else ()
