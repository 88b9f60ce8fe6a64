"""Whether candidates serve the model of a reference, with what tells them apart."""

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, Field

from assay.api.schemas.evaluations import Estimate
from assay.api.schemas.fields import FreeText, Schema, StoredMessage
from assay.api.schemas.results.comparisons import PairedStatistics
from assay.domain import stats
from assay.domain.outcome import Outcome
from assay.domain.run import State
from assay.domain.stats import EquivalenceVerdict
from assay.engine.fidelity import divergence, facts, report, wording


class FidelityQuery(BaseModel):
    """Which model of the run is believed, and how the others are judged."""

    reference: str | None = Field(default=None, description="A model of the run; by default its first")
    margin: float = Field(
        default=0.03,
        gt=0,
        le=0.5,
        description="Difference that does not matter, as a share: 0.03 is 3 points",
    )
    alpha: float = Field(
        default=0.05, gt=0, lt=0.5, description="Chance of a wrong claim about any of the candidates"
    )


class FidelityMean(Schema):
    """A mean over the `n` attempts or items that it is known of."""

    value: float
    n: int

    @classmethod
    def of(cls, mean: facts.Mean | None) -> Self | None:
        return None if mean is None else cls(value=mean.value, n=mean.n)


class Divergence(Schema):
    """Pairs of answers to the same prompt; `median_chars` is how long those agree that are not identical."""

    pairs: int = Field(description="Pairs of answers")
    identical: int = Field(description="Pairs that do not differ")
    median_chars: float | None = Field(description="Null if all are identical")

    @classmethod
    def of(cls, found: divergence.Divergence | None) -> Self | None:
        if found is None:
            return None
        return cls(pairs=found.pairs, identical=found.identical, median_chars=found.median_chars)


class FidelityFacts(Schema):
    """What is put side by side of the endpoints; counts are of attempts."""

    model: FreeText
    endpoint: FreeText | None = Field(description="Address, without credentials; null where it is not known")
    planned: int = Field(description="Attempts that the run is to make")
    answered: int = Field(description="Attempts to which the model replied")
    missing: int = Field(description="Attempts without a verdict, those not made yet included")
    outcomes: Mapping[Outcome, int]
    score: FidelityMean | None = Field(description="Mean over items; null without a score")
    tool_call_accuracy: Estimate | None = Field(description="Null without a benchmark that sends tools")
    cut: int = Field(description="Replies that the token cap ended")
    refused: int = Field(description="Replies that the endpoint itself marked as refused")
    finish_reasons: Mapping[FreeText, int] = Field(description="The commonest; the rest as `other`")
    input_tokens: FidelityMean | None = Field(
        description="Tokens sent, by attempt; null where the endpoint reports none"
    )
    output_tokens: FidelityMean | None = Field(
        description="Tokens received, by attempt; null where the endpoint reports none"
    )
    reasoning_tokens: FidelityMean | None = Field(
        description="Tokens of reasoning, by attempt; null where the endpoint reports none"
    )
    same_input: FidelityMean | None = Field(
        description="Share of prompts that took as many tokens as at the reference; null for the reference"
    )
    divergence: Divergence | None = Field(
        description=(
            "From the reference's answers; for the reference, between its own samples."
            " Null unless the temperature is 0"
        )
    )
    served_models: Mapping[FreeText, int] = Field(description="Names that the endpoint gave in its replies")
    system_fingerprints: Mapping[FreeText, int] = Field(
        description="Builds that the endpoint named in its replies; none if it names none"
    )
    errors: tuple[StoredMessage, ...] = Field(description="Why evaluations failed")

    @classmethod
    def of(cls, found: facts.ModelFacts) -> Self:
        return cls(
            model=found.model,
            endpoint=found.endpoint,
            planned=found.planned,
            answered=found.answered,
            missing=found.missing,
            outcomes=found.outcomes,
            score=FidelityMean.of(found.score),
            tool_call_accuracy=Estimate.of(found.tool_calls) if found.tool_calls else None,
            cut=found.cut,
            refused=found.refused,
            finish_reasons=found.finish_reasons,
            input_tokens=FidelityMean.of(found.input_tokens),
            output_tokens=FidelityMean.of(found.output_tokens),
            reasoning_tokens=FidelityMean.of(found.reasoning_tokens),
            same_input=FidelityMean.of(found.same_input),
            divergence=Divergence.of(found.divergence),
            served_models=found.served_models,
            system_fingerprints=found.system_fingerprints,
            errors=found.errors,
        )


class EquivalenceTest(Schema):
    """`statistics` are over the items scored at both, `low` and `high` bound the difference over all planned.

    They take every missing score at its worst for a claim of equivalence.
    """

    verdict: EquivalenceVerdict
    statistics: PairedStatistics | None = Field(description="Null if no item has a score at both")
    low: float
    high: float
    planned: int = Field(description="Items that were to be asked")
    missing: int = Field(description="Scores that are missing on either side")
    items_needed: int | None = Field(description="Items that would do with as much spread as was seen")

    @classmethod
    def of(cls, result: stats.EquivalenceResult) -> Self:
        return cls(
            verdict=result.verdict,
            statistics=PairedStatistics.of(result.paired) if result.paired else None,
            low=result.limits.low,
            high=result.limits.high,
            planned=result.planned,
            missing=result.missing,
            items_needed=result.items_needed,
        )


class BenchmarkScores(Schema):
    """Means over the `n` items of a benchmark that have a score at both."""

    benchmark: str
    candidate: float | None = Field(description="Mean score of the candidate; null without a shared item")
    reference: float | None = Field(description="Mean score of the reference; null without a shared item")
    n: int


class FidelityCandidate(Schema):
    facts: FidelityFacts = Field(description="What is put side by side with the reference")
    test: EquivalenceTest = Field(description="The candidate against the reference")
    sentence: FreeText
    benchmarks: tuple[BenchmarkScores, ...] = Field(description="One entry for each benchmark")


class NoiseFloor(Schema):
    """The reference against itself, over the `items` asked more than once."""

    items: int = Field(description="Items that were asked more than once")
    flip_rate: float = Field(description="Share of items that do not always get the same score")
    difference: float = Field(description="What two passes differ by, by chance, in 95 % of cases")
    test: EquivalenceTest | None = Field(description="Its second samples against its first")


class Fidelity(Schema):
    """Every other model of a run against the reference, item by item."""

    run_id: str
    status: State
    verdict: EquivalenceVerdict | None = Field(
        description="The worst of all candidates; null if the reference was asked alone"
    )
    headline: FreeText = Field(description="The verdict in one sentence")
    notes: tuple[StoredMessage, ...] = Field(description="What a reader of the verdict has to know")
    margin: float
    alpha: float = Field(description="Bound on the chance of any wrong claim about the candidates together")
    power: float = Field(description="Chance of the right verdict that `items_needed` gives")
    level: float = Field(description="Of each candidate's interval, so that all hold together")
    benchmarks: tuple[str, ...] = Field(description="Names of the benchmarks")
    items: int = Field(description="Items that were to be asked, of all benchmarks together")
    samples: int
    temperature: float | None = Field(description="Null if the benchmarks differ in it, or leave it open")
    items_needed: int | None = Field(
        description="Items that find a loss of the margin, or show that there is none, with that power"
    )
    reference: FidelityFacts = Field(description="The model that is believed")
    noise_floor: NoiseFloor | None = Field(description="Null if the reference was asked once")
    candidates: tuple[FidelityCandidate, ...] = Field(description="The other models of the run")

    @classmethod
    def of(cls, found: report.FidelityReport) -> Self:
        return cls(
            run_id=found.run_id,
            status=found.state,
            verdict=found.verdict,
            headline=wording.headline(found),
            notes=tuple(wording.notes(found)),
            margin=found.rule.margin,
            alpha=found.rule.alpha,
            power=found.rule.power,
            level=found.rule.level(len(found.candidates)),
            benchmarks=found.benchmarks,
            items=found.items,
            samples=found.samples,
            temperature=found.temperature,
            items_needed=found.items_needed,
            reference=FidelityFacts.of(found.reference),
            noise_floor=_noise_floor(found),
            candidates=tuple(_candidate(found, one) for one in found.candidates),
        )


def _candidate(found: report.FidelityReport, one: report.Candidate) -> FidelityCandidate:
    return FidelityCandidate(
        facts=FidelityFacts.of(one.facts),
        test=EquivalenceTest.of(one.result),
        sentence=wording.candidate_sentence(found, one),
        benchmarks=tuple(
            BenchmarkScores(benchmark=b.benchmark, candidate=b.candidate, reference=b.reference, n=b.n)
            for b in one.benchmarks
        ),
    )


def _noise_floor(found: report.FidelityReport) -> NoiseFloor | None:
    if found.noise is None:
        return None
    return NoiseFloor(
        items=found.noise.items,
        flip_rate=found.noise.flip_rate,
        difference=found.noise.noise_floor,
        test=EquivalenceTest.of(found.own) if found.own else None,
    )
