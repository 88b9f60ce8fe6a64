"""How often answers are right, by the confidence that was stated with them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from assay.domain.attempt import Attempt
from assay.domain.outcome import VERDICTS, Outcome
from assay.domain.stats import Interval, wilson

CONFIDENCE: Final = "confidence"
"""Under this name the details of a grade have the stated confidence, from 0 to 100."""

_BINS: Final = 10
_SURE: Final = 100


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Answers with a confidence from `low` to `high`, all as shares of one; the last bin includes its end."""

    low: float
    high: float
    n: int
    mean_confidence: float
    correct: float
    interval: Interval


async def calibration(attempts: AsyncIterator[Attempt]) -> tuple[CalibrationBin, ...]:
    """Read every attempt once. There is no bin for confidences that nobody stated."""
    counts, sums, rights = ([0.0] * _BINS for _ in range(3))
    async for attempt in attempts:
        stated = attempt.details.get(CONFIDENCE)
        if attempt.outcome not in VERDICTS or not isinstance(stated, int | float) or not 0 <= stated <= _SURE:
            continue
        place = min(int(stated * _BINS / _SURE), _BINS - 1)
        counts[place] += 1
        sums[place] += stated / _SURE
        rights[place] += attempt.outcome is Outcome.CORRECT
    return tuple(
        CalibrationBin(
            low=place / _BINS,
            high=(place + 1) / _BINS,
            n=int(n),
            mean_confidence=sums[place] / n,
            correct=rights[place] / n,
            interval=wilson(rights[place], int(n)),
        )
        for place, n in enumerate(counts)
        if n
    )
