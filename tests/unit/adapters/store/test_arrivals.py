from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.store.attempts.arrivals import MOST_ARRIVALS, Moments, packed, unpacked

GAPS_S = st.lists(st.floats(0, 200), min_size=1, max_size=300)


@given(started_s=st.floats(0, 1e6), gaps_s=GAPS_S)
def test_arrivals_come_back_to_a_tenth_of_a_millisecond(started_s: float, gaps_s: list[float]) -> None:
    chunks_s = list(accumulate(gaps_s, initial=started_s))[1:]
    back = unpacked(packed(Moments(started_s, chunks_s)))
    assert len(back) == len(chunks_s)
    off_s = [abs(at_s - (chunk_s - started_s)) for at_s, chunk_s in zip(back, chunks_s, strict=True)]
    assert max(off_s) < 0.0001


def test_most_arrivals_take_two_bytes() -> None:
    assert len(packed(Moments(0.0, [0.4 + 0.02 * number for number in range(100)]))) == 200


def test_of_very_many_arrivals_the_ends_and_the_longest_gaps_stay() -> None:
    gaps_s = [0.01] * 20_000
    gaps_s[7_000], gaps_s[13_000] = 3.0, 9.5
    chunks_s = list(accumulate(gaps_s))
    back = unpacked(packed(Moments(0.0, chunks_s)))
    assert len(back) <= MOST_ARRIVALS
    assert (back[0], back[-1]) == (round(chunks_s[0], 4), round(chunks_s[-1], 4))
    longest = sorted((later - earlier for earlier, later in pairwise(back)), reverse=True)[:2]
    assert [round(gap_s, 3) for gap_s in longest] == [9.5, 3.0]
    # The rest is spread over the whole stream, so that a picture of it has no holes that were not there.
    assert longest[0] > 1 > sorted(later - earlier for earlier, later in pairwise(back))[-3]
