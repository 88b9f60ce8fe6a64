"""The composite score of each model of a run."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Schema
from assay.domain import composite
from assay.domain.composite import Part
from assay.engine.results.composite import ModelComposite
from assay.engine.results.measures import Measure
from assay.engine.results.warm_ups import WarmUpTotal


class CompositeWeights(Schema):
    quality: float
    speed: float
    cost: float
    streaming: float
    multimodal: float


class CompositePart(Schema):
    """A part of the composite, from 0 to 1; `low` and `high` bound it whatever is missing."""

    part: Part
    weight: float
    value: float | None = Field(description="Null where nothing is known")
    low: float
    high: float
    points: float | None = Field(description="What it adds to the composite, out of its weight")
    counts: bool = Field(description="Whether the quality is high enough for it to count")
    n: int = Field(description="How many of `total` values are known")
    total: int
    note: str

    @classmethod
    def of(cls, part: Part, found: composite.Composite) -> Self:
        score = found.parts[part]
        return cls(
            part=part,
            weight=found.rule.weights.of(part),
            value=score.value,
            low=score.low,
            high=score.high,
            points=found.points(part),
            counts=part not in found.closed,
            n=score.n,
            total=score.total,
            note=score.note,
        )


class MeasureSpread(Schema):
    """`repeat_sd` is the standard deviation between samples of one item."""

    n: int
    mean: float
    sd: float
    p50: float
    p90: float
    p99: float
    max: float
    repeat_sd: float | None

    @classmethod
    def of(cls, found: Measure) -> Self:
        return cls(**asdict(found))


class WarmUp(Schema):
    """What requests before the first item used; null where the endpoint did not report it."""

    requests: int
    failed: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


class ModelCompositeScore(Schema):
    """From 0 to 100; `score` is null where data is missing, and `low` and `high` bound it then too."""

    model: FreeText
    is_janus: bool = Field(description="Whether by the formulas of the Janus suite, or by the general ones")
    score: float | None
    low: float
    high: float
    sentence: str = Field(description="The composite in words, with what is missing")
    missing: tuple[Part, ...]
    parts: tuple[CompositePart, ...]
    measures: Mapping[str, Mapping[str, MeasureSpread]] = Field(
        description="What was measured of the answered attempts, by benchmark"
    )
    warm_up: WarmUp | None = Field(description="Null for a run without warm-up requests")

    @classmethod
    def of(cls, one: ModelComposite, warm_up: WarmUpTotal | None) -> Self:
        found = one.composite
        return cls(
            model=one.model,
            is_janus=one.is_janus,
            score=found.value,
            low=found.low,
            high=found.high,
            sentence=found.sentence,
            missing=found.missing,
            parts=tuple(CompositePart.of(part, found) for part in Part),
            measures={
                benchmark: {name: MeasureSpread.of(measure) for name, measure in measures.items()}
                for benchmark, measures in one.measures.items()
            },
            warm_up=None if warm_up is None else WarmUp(**asdict(warm_up)),
        )


class RunComposite(Schema):
    run_id: str
    weights: CompositeWeights
    minimum_quality: float = Field(
        description="Least quality, corrected for guessing, for speed, cost and streaming to count"
    )
    models: tuple[ModelCompositeScore, ...]
