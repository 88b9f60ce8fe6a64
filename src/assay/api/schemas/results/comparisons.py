"""Comparisons as responses: paired statistics, their meaning in words, and the items."""

from typing import Literal, Self

from pydantic import BaseModel, Field

from assay.api.schemas.evaluations import Estimate, Interval
from assay.api.schemas.fields import FreeText, Schema
from assay.api.schemas.items import REVEAL
from assay.domain import run
from assay.domain.outcome import Outcome
from assay.domain.stats import PairedResult, PairedTest, Verdict
from assay.engine.results import compare

ItemChoice = Literal["disagree", "only_first", "all_wrong", "all"]


class CompareQuery(BaseModel):
    """Two or more evaluations, or those of runs; the others are compared with the first."""

    evaluation: list[str] = Field(
        default=[], max_length=20, description="Id of an evaluation, two or more times"
    )
    run: list[str] = Field(
        default=[], max_length=20, description="Id of a run; with `evaluation`, the runs to search for it"
    )
    items: ItemChoice | None = Field(
        default=None,
        description=(
            "Also show items: where scores differ, where the first scored above all others,"
            " where all scored zero, or all. Only for evaluations of one benchmark"
        ),
    )
    limit: int = Field(default=100, ge=1, le=500)
    cursor: str | None = Field(default=None, description="`next_cursor` of the previous page")
    reveal: bool = Field(default=False, description=REVEAL)


class Side(Schema):
    """An evaluation that takes part in a comparison."""

    evaluation_id: str
    run_id: str
    model: FreeText
    benchmark: str
    fingerprint: str
    score: Estimate | None
    scored: int
    total: int

    @classmethod
    def of(cls, evaluation: run.Evaluation) -> Self:
        found = evaluation.summary
        return cls(
            evaluation_id=evaluation.id,
            run_id=evaluation.run_id,
            model=evaluation.model,
            benchmark=evaluation.benchmark,
            fingerprint=evaluation.fingerprint.value,
            score=Estimate.of(found.score) if found and found.score else None,
            scored=found.scored if found else 0,
            total=evaluation.total_attempts,
        )


class PairedStatistics(Schema):
    """Statistics of (ours - theirs) over the items that both have a score for.

    `adjusted_p` is corrected (Holm) for the number of comparisons; null if there was only one.
    """

    verdict: Verdict
    difference: float
    interval: Interval
    standard_error: float | None
    p_value: float
    adjusted_p: float | None
    test: PairedTest
    n: int
    wins: int
    losses: int
    ties: int
    correlation: float | None
    minimum_detectable_effect: float | None
    margin: float

    @classmethod
    def of(cls, result: PairedResult) -> Self:
        return cls(
            verdict=result.verdict,
            difference=result.difference,
            interval=Interval.of(result.interval),
            standard_error=result.standard_error,
            p_value=result.p_value,
            adjusted_p=result.adjusted_p,
            test=result.test,
            n=result.n,
            wins=result.wins,
            losses=result.losses,
            ties=result.ties,
            correlation=result.correlation,
            minimum_detectable_effect=result.minimum_detectable_effect,
            margin=result.margin,
        )


class Comparison(Schema):
    """`differing` names the parts of the fingerprint that differ; the statistics are then only indicative."""

    ours: Side
    theirs: Side
    sentence: FreeText
    is_comparable: bool
    differing: tuple[str, ...]
    statistics: PairedStatistics | None = Field(description="Null if no item has a score for both")
    noise_floor: float | None = Field(
        description="What asking both models again would change, in 95 % of cases; null if unknown"
    )

    @classmethod
    def of(cls, comparison: compare.Comparison) -> Self:
        return cls(
            ours=Side.of(comparison.ours),
            theirs=Side.of(comparison.theirs),
            sentence=comparison.sentence,
            is_comparable=not comparison.differing,
            differing=comparison.differing,
            statistics=PairedStatistics.of(comparison.result) if comparison.result else None,
            noise_floor=comparison.noise_floor,
        )


class ItemCell(Schema):
    """One evaluation on one item: the mean score of the samples that have a verdict."""

    score: float | None
    outcomes: tuple[Outcome, ...]
    extracted: FreeText | None = Field(description="The extracted answer of the first sample that has one")


class ItemRow(Schema):
    """One item; the cells are in the order of `evaluations`, null if it was not attempted."""

    item_id: FreeText
    expected: FreeText | None
    cells: tuple[ItemCell | None, ...]


class ItemMatrix(Schema):
    """A page of items, in the order of their ids; `total` counts those on all pages."""

    items: tuple[ItemRow, ...]
    total: int
    next_cursor: FreeText | None
    is_masked: bool = Field(description="Whether answers are hidden, because the benchmark is gated")


class ComparisonResult(Schema):
    """Every pair of evaluations of one benchmark, in the order of the request."""

    evaluations: tuple[Side, ...]
    comparisons: tuple[Comparison, ...]
    items: ItemMatrix | None
