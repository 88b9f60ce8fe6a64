"""How many items a comparison takes, as a response."""

from typing import Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Schema
from assay.engine.results import sample_size


class StoredSpread(Schema):
    """Variances in stored runs, as shares of what independent yes/no answers would have."""

    single: float | None = Field(description="Of the scores of a model; null if too little is stored")
    paired: float | None = Field(description="Of the differences of two models; null if too little is stored")
    models: tuple[FreeText, ...]
    pairs: int = Field(description="Pairs of these models")


class SampleSizes(Schema):
    """Items it takes to tell two models apart; more than `benchmark_size` means that it cannot be done."""

    benchmark: str
    benchmark_size: int
    score: float = Field(description="What one model scores: as asked, else in stored runs, else 0.5")
    difference: float
    alpha: float = Field(description="Chance of a difference where there is none")
    power: float = Field(description="Chance of finding the difference")
    paired: int = Field(description="If both models are asked the same items")
    unpaired: int = Field(description="Of each model, if they are asked different items")
    equivalent: int = Field(description="To show that they lie within the difference, if they score the same")
    spread: StoredSpread = Field(description="In the stored runs that the sizes rest on")

    @classmethod
    def of(
        cls,
        asked: sample_size.ComparedBenchmark,
        wanted: sample_size.SampleSizeRequest,
        spread: sample_size.StoredSpread,
    ) -> Self:
        sizes = sample_size.sample_sizes(wanted, spread)
        return cls(
            benchmark=asked.name,
            benchmark_size=asked.size,
            score=wanted.score,
            difference=wanted.difference,
            alpha=wanted.alpha,
            power=wanted.power,
            paired=sizes.paired,
            unpaired=sizes.unpaired,
            equivalent=sizes.equivalent,
            spread=StoredSpread(
                single=spread.single, paired=spread.paired, models=spread.models, pairs=spread.pairs
            ),
        )
