"""A model's scores against its own as a response."""

from typing import Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Schema
from assay.domain.run import Run, State
from assay.domain.stats import RepeatNoise
from assay.engine.results.noise import NoiseReport


class NoisePass(Schema):
    """One sample of each item."""

    score: float | None = Field(description="Mean over the items; null if none has a verdict")
    n: int = Field(description="Items with a verdict")


class NoiseItem(Schema):
    """An item that did not always get the same score."""

    item_id: FreeText
    scores: tuple[float | None, ...] = Field(
        description="In the order of the samples; an empty one has no verdict"
    )


class RepeatSpread(Schema):
    """Over the items with two verdicts or more."""

    items: int = Field(description="Items with two verdicts or more")
    flip_rate: float = Field(description="Share of items that do not always get the same score")
    within_variance: float = Field(description="Mean variance between the samples of one item")
    between_variance: float = Field(description="Variance between the items' true means")
    noise_floor: float = Field(description="What two passes differ by, by chance, in 95 % of cases")

    @classmethod
    def of(cls, found: RepeatNoise) -> Self:
        return cls(
            items=found.items,
            flip_rate=found.flip_rate,
            within_variance=found.within_variance,
            between_variance=found.between_variance,
            noise_floor=found.noise_floor,
        )


class EvaluationNoise(Schema):
    """One model on one benchmark against itself."""

    evaluation_id: str
    model: FreeText
    benchmark: str
    planned: int = Field(description="Items that were to be asked")
    missing: int = Field(description="Attempts without a verdict, those not made yet included")
    spread: RepeatSpread | None = Field(description="Null if no item has two verdicts")
    passes: tuple[NoisePass, ...] = Field(description="One for each sample")
    items: tuple[NoiseItem, ...] = Field(
        description="Up to 100 that did not always get the same score, the least steady first"
    )

    @classmethod
    def of(cls, found: NoiseReport) -> Self:
        return cls(
            evaluation_id=found.evaluation.id,
            model=found.evaluation.model,
            benchmark=found.evaluation.benchmark,
            planned=found.evaluation.asked_items,
            missing=found.missing,
            spread=RepeatSpread.of(found.noise) if found.noise else None,
            passes=tuple(NoisePass(score=one.score, n=one.n) for one in found.passes),
            items=tuple(NoiseItem(item_id=one.item_id, scores=one.scores) for one in found.items),
        )


class Noise(Schema):
    """What asking the same items again changes, for each evaluation of a run."""

    run_id: str
    status: State
    samples: int
    evaluations: tuple[EvaluationNoise, ...] = Field(description="One entry for each evaluation")

    @classmethod
    def of(cls, run: Run, found: tuple[NoiseReport, ...]) -> Self:
        return cls(
            run_id=run.id,
            status=run.state,
            samples=run.spec.samples,
            evaluations=tuple(EvaluationNoise.of(one) for one in found),
        )
