"""Estimates from measured rates, with their spread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.run import RunId
from assay.engine.fleet.queue_estimate import (
    Fleet,
    PaceMeter,
    Rate,
    Spread,
    WaitingShard,
    measured_rate,
    outlooks,
)

A, B, C = RunId("a"), RunId("b"), RunId("c")
STEADY = Rate(1.0, 2.0, 4.0)


@pytest.mark.parametrize(("attempts", "seconds"), [(0, 10.0), (5, 0.0), (-3, 10.0), (5, -1.0)])
def test_nothing_done_is_no_rate(attempts: int, seconds: float) -> None:
    assert measured_rate(attempts, seconds) is None


def test_more_attempts_narrow_the_spread_down_to_what_endpoints_drift_anyway() -> None:
    few, many, most = (measured_rate(count, count / 2) for count in (4, 100, 1_000_000))
    assert few
    assert many
    assert most
    assert few.value == many.value == most.value == 2.0
    assert few.low < many.low < most.low == pytest.approx(2 / 1.1)
    assert few.high > many.high > most.high == pytest.approx(2.2)


def test_the_pace_is_measured_over_the_window_only() -> None:
    pace = PaceMeter(window_s=60)
    for now_s, finished in [(0, 0), (100, 500), (130, 560), (160, 620)]:
        pace.note(now_s, {A: finished})
    rate = pace.rate(A)
    assert rate
    assert rate.value == 2.0


def test_a_pace_needs_time_and_movement() -> None:
    pace = PaceMeter()
    assert pace.rate(A) is None
    pace.note(0, {A: 10, B: 5})
    pace.note(2, {A: 14, B: 5})
    assert pace.rate(A) is None, "too short"
    pace.note(10, {A: 30, B: 5})
    assert pace.rate(B) is None, "it stood still"
    rate = pace.rate(A)
    assert rate
    assert rate.value == 2.0


def test_runs_start_and_finish_in_the_order_of_the_queue() -> None:
    waiting = [WaitingShard(A, 10), WaitingShard(B, 20), WaitingShard(C, 10), WaitingShard(B, 40)]
    found = outlooks(waiting, {A: 8}, fleet=Fleet(STEADY), own_rates={})
    assert [found[run].position for run in (A, B, C)] == [None, 1, 2]
    assert found[A].start is None, "it has begun"
    assert found[B].start == Spread(10 / 4, 18 / 1)
    assert found[C].start == Spread(30 / 4, 38 / 1)
    assert found[A].finish == Spread(10 / 4, 18 / 1)
    assert found[C].finish == Spread(40 / 4, 48 / 1)
    assert found[B].finish == Spread(80 / 4, 88 / 1)


def test_a_free_worker_starts_the_next_run_at_once() -> None:
    waiting = [WaitingShard(A, 10), WaitingShard(B, 10)]
    found = outlooks(waiting, {}, fleet=Fleet(None, free_slots=1), own_rates={})
    assert found[A].start == Spread(0, 0)
    assert (found[A].finish, found[B].start, found[B].position) == (None, None, 2)


def test_a_run_wholly_in_hand_goes_at_its_own_pace() -> None:
    found = outlooks([], {A: 30, B: 30}, fleet=Fleet(STEADY), own_rates={A: Rate(3, 5, 6)})
    assert found[A].finish == Spread(5, 10)
    assert found[B].finish == Spread(7.5, 30)


@given(
    st.lists(st.tuples(st.sampled_from([A, B, C]), st.floats(0, 1000))),
    st.dictionaries(st.sampled_from([A, B, C]), st.floats(0, 1000)),
)
def test_the_earliest_is_never_after_the_latest_nor_a_start_after_the_finish(
    waiting: list[tuple[RunId, float]], in_hand: dict[RunId, float]
) -> None:
    shards = [WaitingShard(run, attempts) for run, attempts in waiting]
    found = outlooks(shards, in_hand, fleet=Fleet(STEADY), own_rates={})
    assert found.keys() == {run for run, _ in waiting} | in_hand.keys()
    for outlook in found.values():
        assert outlook.finish
        assert 0 <= outlook.finish.low_s <= outlook.finish.high_s
        if outlook.start:
            assert outlook.start.low_s <= outlook.finish.low_s
            assert outlook.start.high_s <= outlook.finish.high_s
