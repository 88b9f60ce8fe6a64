"""What a load test may be asked for."""

import math

import pytest

from assay.domain.errors import InvalidValueError
from assay.domain.load import LoadLimits, LoadSpec, Stage

NO_TIME = (0.0, -1.0, math.nan, math.inf)
STAGES = (Stage(2, 2),)


@pytest.mark.parametrize("value", NO_TIME)
def test_times_are_finite_and_more_than_nothing(value: float) -> None:
    with pytest.raises(InvalidValueError, match="limits of a load test"):
        LoadLimits(duration_s=value)
    with pytest.raises(InvalidValueError, match="limits of a load test"):
        LoadLimits(timeout_s=value)
    with pytest.raises(InvalidValueError, match="durations and numbers of requests"):
        LoadSpec("sim/echo", "closed", STAGES, stage_s=value)
    with pytest.raises(InvalidValueError, match="durations and numbers of requests"):
        LoadSpec("sim/echo", "closed", STAGES, stall_ms=value)


def test_a_load_of_no_requests_is_none() -> None:
    with pytest.raises(InvalidValueError, match="numbers of requests"):
        LoadSpec("sim/echo", "closed", STAGES, stage_requests=0)
    assert LoadSpec("sim/echo", "closed", STAGES, stage_requests=1).stage_requests == 1
