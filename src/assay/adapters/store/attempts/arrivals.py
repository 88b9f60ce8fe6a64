"""The arrivals of a stream's chunks as few bytes: two for most of them.

Each arrival is the time since the one before, in tenths of a millisecond, as 16 bits with the lowest first.
The largest number means that much and more: the next number belongs to the same arrival.
"""

import sys
from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from operator import sub
from typing import NamedTuple

MOST_ARRIVALS = 2_000

_MORE = 0xFFFF
_PER_SECOND = 10_000
_GAPS_KEPT = 500


class Moments(NamedTuple):
    """The times of one stream by one clock; there is at least one chunk."""

    started_s: float
    chunks_s: Sequence[float]


def packed(stream: Moments) -> bytes:
    # Half a unit more, so that `int` rounds.
    start_s = stream.started_s - 0.5 / _PER_SECOND
    moments = [int((at_s - start_s) * _PER_SECOND) for at_s in _thinned(stream.chunks_s)]
    steps = list(map(sub, moments, chain((0,), moments)))
    if max(steps) >= _MORE:
        steps = [part for step in steps for part in (*[_MORE] * (step // _MORE), step % _MORE)]
    return _in_stored_order(array("H", steps)).tobytes()


def unpacked(stored: bytes) -> tuple[float, ...]:
    """Seconds since the request was written."""
    steps = array("H")
    steps.frombytes(stored)
    totals = accumulate(_in_stored_order(steps))
    return tuple(total / _PER_SECOND for step, total in zip(steps, totals, strict=True) if step != _MORE)


def _thinned(chunks_s: Sequence[float]) -> Sequence[float]:
    """At most as many as are stored: both ends of the longest gaps, and the rest at equal distances."""
    if len(chunks_s) <= MOST_ARRIVALS:
        return chunks_s
    last = len(chunks_s) - 1
    by_gap = sorted(range(1, len(chunks_s)), key=lambda place: chunks_s[place - 1] - chunks_s[place])
    kept = {0, last, *(end for place in by_gap[:_GAPS_KEPT] for end in (place - 1, place))}
    spread = MOST_ARRIVALS - len(kept)
    kept.update(place * last // spread for place in range(spread))
    return [chunks_s[place] for place in sorted(kept)]


def _in_stored_order(steps: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        steps.byteswap()
    return steps
