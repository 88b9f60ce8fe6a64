"""When requests are due, and when clients work."""

from itertools import pairwise
from random import Random

import pytest

from assay.domain.errors import InvalidValueError
from assay.domain.load import Loop, Spacing, Stage
from assay.engine.load.schedule import client_spans, due_times, read_stages


def due(stage: Stage, stage_s: float, spacing: Spacing = "constant", seed: int = 1) -> list[float]:
    return list(due_times(stage, stage_s, spacing=spacing, random=Random(seed)))  # noqa: S311


def test_a_constant_rate_is_evenly_spaced_and_begins_at_once() -> None:
    assert due(Stage(4, 4), 1.0) == [0.0, 0.25, 0.5, 0.75]


@pytest.mark.parametrize("spacing", ["constant", "poisson"])
@pytest.mark.parametrize("stage", [Stage(100, 100), Stage(0, 200), Stage(180, 20)])
def test_as_many_requests_are_due_as_the_rate_asks_for(stage: Stage, spacing: Spacing) -> None:
    moments = due(stage, 60.0, spacing)
    assert moments == sorted(moments)
    assert moments[-1] < 60
    # 6,000 on average with a standard deviation of 77.5.
    assert abs(len(moments) - 6_000) < (2 if spacing == "constant" else 310)
    early = sum(moment < 30 for moment in moments) / len(moments)
    assert early == pytest.approx((stage.first + stage.at(0.5)) / (stage.first + stage.last) / 2, abs=0.02)


def test_poisson_arrivals_vary_as_much_as_their_mean() -> None:
    moments = due(Stage(50, 50), 200.0, "poisson")
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    mean = sum(gaps) / len(gaps)
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert mean == pytest.approx(0.02, rel=0.05)
    assert deviation == pytest.approx(mean, rel=0.05)


def test_the_same_seed_gives_the_same_moments() -> None:
    assert due(Stage(9, 9), 9.0, "poisson", 7) == due(Stage(9, 9), 9.0, "poisson", 7)
    assert due(Stage(9, 9), 9.0, "poisson", 7) != due(Stage(9, 9), 9.0, "poisson", 8)


def test_a_falling_rate_that_reaches_0_ends() -> None:
    moments = due(Stage(10, 0), 10.0)
    assert len(moments) == 50
    assert moments[-1] < 10


def test_clients_of_a_step_work_all_the_time() -> None:
    assert client_spans(Stage(3, 3), 10.0) == ((0.0, 10.0),) * 3


def test_clients_of_a_ramp_start_or_stop_one_after_the_other() -> None:
    assert client_spans(Stage(1, 3), 8.0) == ((0.0, 8.0), (2.0, 8.0), (6.0, 8.0))
    assert client_spans(Stage(3, 1), 8.0) == ((0.0, 8.0), (0.0, 6.0), (0.0, 2.0))


def test_steps_and_ramps_are_read() -> None:
    assert read_stages("1, 2..8", "closed") == (Stage(1, 1), Stage(2, 8))
    assert read_stages("0.5,0..2.5", "open") == (Stage(0.5, 0.5), Stage(0, 2.5))


@pytest.mark.parametrize(
    ("text", "loop"),
    [
        ("", "closed"),
        ("many", "closed"),
        ("0", "closed"),
        ("1.5", "closed"),
        ("-1", "open"),
        ("1...2", "open"),
        ("1e9", "open"),
        ("200000", "open"),
        (",".join("1" * 101), "open"),
    ],
)
def test_a_load_that_makes_no_sense_is_refused(text: str, loop: Loop) -> None:
    with pytest.raises(InvalidValueError):
        read_stages(text, loop)
