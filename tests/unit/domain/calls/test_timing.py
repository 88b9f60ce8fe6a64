import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.calls.timing import (
    STALL_MS,
    Arrivals,
    StreamTiming,
    combined_timing,
    continuity,
    stream_timing,
)


def test_three_chunks_half_a_second_apart() -> None:
    timing = stream_timing(Arrivals(10.0, 11.5, (10.5, 11.0, 11.5), first_answer_s=11.0), output_tokens=3)
    assert timing.ttft_ms == pytest.approx(500)
    assert timing.ttfat_ms == pytest.approx(1000)
    assert timing.max_gap_ms == pytest.approx(500)
    assert timing.duration_ms == pytest.approx(1500)
    assert timing.tokens_per_s == pytest.approx(3.0)
    assert timing.chunks == 3


def test_rate_comes_from_tokens_not_from_chunks() -> None:
    arrivals = Arrivals(0.0, 1.0, (0.0, 0.5, 1.0))
    assert stream_timing(arrivals, output_tokens=120).tokens_per_s == pytest.approx(120)
    assert stream_timing(arrivals).tokens_per_s is None


def test_single_chunk_has_no_rate_and_no_gap() -> None:
    timing = stream_timing(Arrivals(0.0, 0.4, (0.4,)), output_tokens=50)
    assert (timing.tokens_per_s, timing.max_gap_ms, timing.stalls) == (None, None, 0)
    assert timing.ttft_ms == pytest.approx(400)


def test_chunks_of_one_moment_have_no_rate() -> None:
    assert stream_timing(Arrivals(0.0, 0.4, (0.4, 0.4)), output_tokens=50).tokens_per_s is None


def test_no_chunk_has_no_first_token() -> None:
    assert stream_timing(Arrivals(1.0, 1.25, silence_s=0.25)) == StreamTiming(250.0, silence_ms=250.0)


def test_stalls_count_gaps_above_the_limit() -> None:
    stall_s = STALL_MS / 1000
    timing = stream_timing(Arrivals(0.0, 9.0, (0.0, stall_s, 2 * stall_s + 0.001)))
    assert timing.stalls == 1


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40).map(sorted))
def test_gaps_fit_between_first_and_last(chunks_s: list[float]) -> None:
    timing = stream_timing(Arrivals(0.0, chunks_s[-1], chunks_s))
    assert timing.ttft_ms is not None
    assert 0 <= timing.ttft_ms <= timing.duration_ms
    assert timing.chunks == len(chunks_s)
    if timing.max_gap_ms is not None:
        assert 0 <= timing.max_gap_ms <= timing.duration_ms - timing.ttft_ms + 1e-6


def test_continuity_is_that_of_the_older_formula() -> None:
    assert continuity((0.0, 0.1, 0.2, 0.3, 3.3)) == pytest.approx(0.35684, abs=5e-6)
    assert continuity((0.0, 0.5, 1.0)) == 1.0


def test_bursts_and_gaps_that_no_reader_sees_are_even() -> None:
    assert continuity([0.02 * number for number in range(50)]) == pytest.approx(1)
    assert continuity((0.0, 0.03, 0.031, 0.06, 0.061, 0.09)) == pytest.approx(1)


@pytest.mark.parametrize("chunks_s", [(), (0.4,), (0.1, 0.4), (0.4, 0.4, 0.4, 0.404), (0.1, 0.1, 0.4, 0.4)])
def test_what_came_in_fewer_than_three_moments_has_no_continuity(chunks_s: tuple[float, ...]) -> None:
    assert continuity(chunks_s) is None


@given(st.lists(st.floats(0, 100), max_size=40).map(sorted))
def test_continuity_lies_between_0_and_1(chunks_s: list[float]) -> None:
    found = continuity(chunks_s)
    assert found is None or 0 <= found <= 1


def test_the_timing_of_several_calls() -> None:
    first = stream_timing(Arrivals(0.0, 1.0, (0.2, 0.6, 1.0), 0.2, 0.4, keep_alives=2), output_tokens=3)
    second = stream_timing(Arrivals(5.0, 8.0, (5.5, 8.0), 5.5, 2.5), output_tokens=2)
    both = combined_timing([first, second])
    assert both is not None
    assert (both.duration_ms, both.ttft_ms, both.max_gap_ms) == pytest.approx((4000, 200, 2500))
    assert (both.stalls, both.chunks, both.keep_alives) == (1, 5, 2)
    assert (both.tokens_per_s, both.continuity) == (None, 1.0)
    assert combined_timing([first]) == first
    assert combined_timing([first, None]) is None
    assert combined_timing([]) is None
