"""What a run with a stopping rule has settled, as a response."""

from typing import Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Schema
from assay.api.schemas.run_settings import StopSettings
from assay.domain.run import Run
from assay.engine.results.contest import ContestResult
from assay.engine.results.race_report import RaceReport, Saving


class RacePoint(Schema):
    """Between what the difference, or the score beside a bar, lies after so many items."""

    items: int = Field(description="Items of the order that count")
    low: float = Field(description="Least that the whole benchmark's figure can be")
    high: float = Field(description="Most that it can be")


class RaceContest(Schema):
    """One model beside another, or beside a bar."""

    benchmark: str
    ours: FreeText = Field(description="The model that the verdict is about")
    theirs: FreeText | None = Field(description="Null for a bar")
    verdict: str = Field(description="better, worse, equivalent, above, below or inconclusive")
    decided_after: int | None = Field(description="Items of the order that it took; null if not decided")
    asked: int = Field(description="Items that count so far: the first of the order, all complete")
    items: int = Field(description="Items that would be asked")
    missing: int = Field(
        description="Attempts among those that ended without a verdict, counted at the worst"
    )
    sentence: FreeText = Field(description="What is known, in words")
    sequence: tuple[RacePoint, ...] = Field(description="All of it holds together, whenever one looks")

    @classmethod
    def of(cls, one: ContestResult) -> Self:
        return cls(
            benchmark=one.benchmark,
            ours=one.ours,
            theirs=one.theirs,
            verdict=one.verdict,
            decided_after=one.decided_after,
            asked=one.asked,
            items=one.items,
            missing=one.missing,
            sentence=one.sentence,
            sequence=tuple(
                RacePoint(items=seen.items, low=seen.limits.low, high=seen.limits.high)
                for seen in one.sequence
            ),
        )


class RaceSaving(Schema):
    """What was used beside what all items would take; null where it is not known of the attempts made."""

    attempts: int = Field(description="Attempts that were made")
    all_attempts: int = Field(description="Attempts that asking every item takes")
    tokens: int | None = Field(description="Tokens that the attempts made used")
    all_tokens: float | None = Field(description="Tokens of all attempts, at the same number for each")
    usd: float | None = Field(description="What the attempts made cost")
    all_usd: float | None = Field(description="What all attempts would cost, at the same price for each")
    sentence: str = Field(description="What was saved, in words")

    @classmethod
    def of(cls, saving: Saving) -> Self:
        return cls(
            attempts=saving.attempts,
            all_attempts=saving.all_attempts,
            tokens=saving.tokens,
            all_tokens=saving.all_tokens,
            usd=None if saving.usd is None else float(saving.usd),
            all_usd=None if saving.all_usd is None else float(saving.all_usd),
            sentence=saving.sentence,
        )


class RunRace(Schema):
    """Every comparison of the run, in the order of its benchmarks and models."""

    run_id: str
    stop: StopSettings = Field(description="The rule of the run")
    contests: tuple[RaceContest, ...] = Field(description="Every two models on each benchmark, or each model")
    saving: RaceSaving = Field(description="What was used, and what it would take to ask everything")

    @classmethod
    def of(cls, run: Run, report: RaceReport) -> Self:
        return cls(
            run_id=run.id,
            stop=StopSettings.of(report.rule),
            contests=tuple(map(RaceContest.of, report.contests)),
            saving=RaceSaving.of(report.saving),
        )
