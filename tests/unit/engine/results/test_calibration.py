"""How often answers are right, by the confidence that was stated with them."""

from collections.abc import AsyncIterator, Sequence

import pytest

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Json
from assay.domain.outcome import Outcome
from assay.engine.results.calibration import CalibrationBin, calibration
from tests.builders import attempt


def stated(*said: tuple[Json, Outcome]) -> list[Attempt]:
    return [
        attempt(str(number), outcome=outcome, score=None, details={"confidence": confidence})
        for number, (confidence, outcome) in enumerate(said)
    ]


async def bins(attempts: Sequence[Attempt]) -> tuple[CalibrationBin, ...]:
    async def read() -> AsyncIterator[Attempt]:
        for one in attempts:
            yield one

    return await calibration(read())


async def test_answers_are_counted_by_their_confidence() -> None:
    right, wrong = Outcome.CORRECT, Outcome.INCORRECT
    low, high = await bins(stated((12, right), (18, wrong), (90, right), (100, right), (95.5, wrong)))
    assert (low.low, low.high, low.n, low.correct) == (0.1, 0.2, 2, 0.5)
    assert low.mean_confidence == pytest.approx(0.15)
    assert (high.low, high.high, high.n) == (0.9, 1.0, 3)
    assert high.correct == pytest.approx(2 / 3)
    assert high.interval.low < high.correct < high.interval.high


async def test_what_has_no_confidence_or_no_verdict_is_left_out() -> None:
    odd: tuple[Json, ...] = (None, "90", -1, 101, [], float("nan"))
    assert await bins(stated(*((one, Outcome.CORRECT) for one in odd), (50, Outcome.TIMEOUT))) == ()
    assert await bins([attempt("0")]) == ()
