"""A number with its uncertainty."""

from dataclasses import dataclass
from enum import StrEnum


class IntervalMethod(StrEnum):
    """How an interval was computed; printed beside it."""

    WILSON = "wilson"
    CLOPPER_PEARSON = "clopper-pearson"
    CLUSTERED_WILSON = "clustered-wilson"
    BOOTSTRAP = "bootstrap-bca"
    UNANIMOUS = "exact-unanimous"
    NORMAL = "normal"
    TANGO = "tango"
    STUDENT = "student-t"
    CLUSTERED_STUDENT = "clustered-t"
    SEQUENCE = "confidence-sequence"


@dataclass(frozen=True, slots=True)
class Interval:
    """Confidence interval over items: another draw of questions, not the same questions asked again."""

    low: float
    high: float
    method: IntervalMethod
    level: float = 0.95

    @property
    def alpha(self) -> float:
        """Chance of error that the level leaves, rounded so that 1 - 0.95 is 0.05."""
        return round(1 - self.level, 12)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean of `n` values; `clusters` is None if the values are not grouped."""

    value: float
    interval: Interval | None
    standard_error: float | None
    n: int
    clusters: int | None = None
