"""How often answers are right by their stated confidence, as a response."""

from typing import Self

from pydantic import Field

from assay.api.schemas.evaluations import Interval
from assay.api.schemas.fields import Schema
from assay.engine.results import calibration


class CalibrationBin(Schema):
    """Answers with a stated confidence from `low` to `high`, as shares of one."""

    low: float
    high: float
    n: int = Field(description="Number of answers")
    mean_confidence: float = Field(description="Mean of what was stated")
    correct: float = Field(description="Share of right answers")
    interval: Interval

    @classmethod
    def of(cls, one: calibration.CalibrationBin) -> Self:
        return cls(
            low=one.low,
            high=one.high,
            n=one.n,
            mean_confidence=one.mean_confidence,
            correct=one.correct,
            interval=Interval.of(one.interval),
        )


class CalibrationReport(Schema):
    """Only the ranges of confidence that occur."""

    n: int = Field(description="Number of graded answers with a stated confidence")
    bins: tuple[CalibrationBin, ...] = Field(description="From low to high confidence")
