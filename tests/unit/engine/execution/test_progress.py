"""How often the progress of a run is reported."""

import pytest

from assay.engine.execution.progress import interval_s


@pytest.mark.parametrize(("took_s", "interval"), [(0.0, 0.5), (0.02, 0.5), (0.1, 2.0), (3.0, 10.0)])
def test_a_run_whose_attempts_take_long_to_count_is_reported_less_often(
    took_s: float, interval: float
) -> None:
    assert interval_s(took_s) == pytest.approx(interval)
