"""When the pieces of a streamed reply arrived, and what follows from it."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean

from assay.domain.record import record

STALL_MS = 2_000.0
_MIN_ARRIVALS_FOR_RATE = 2
# Pieces that arrive together, and gaps that no reader sees, say nothing about how evenly a server writes.
_TOGETHER_S = 0.010
_UNSEEN_S = 0.050
_MIN_MOMENTS = 3
_LONG_GAP = 3.0
_PENALTY = 0.1


@record
class Arrivals:
    """Moments of one reply, in seconds on one monotonic clock.

    `started_s` is when the request was written; `chunks_s` are the chunks that carried content, reasoning
    or a tool delta; `silence_s` is the longest wait for any byte at all, keep-alives included.
    """

    started_s: float
    ended_s: float
    chunks_s: Sequence[float] = ()
    first_answer_s: float | None = None
    silence_s: float | None = None
    # Comments and pings of the stream, which only keep the connection open.
    keep_alives: int = 0


@record
class StreamTiming:
    """Milliseconds on a monotonic clock; None where the reply has no such moment."""

    duration_ms: float
    ttft_ms: float | None = None
    ttfat_ms: float | None = None
    max_gap_ms: float | None = None
    silence_ms: float | None = None
    stalls: int = 0
    chunks: int = 0
    tokens_per_s: float | None = None
    # 1 for pieces at equal distances, towards 0 the less even they are.
    continuity: float | None = None
    keep_alives: int = 0


def stream_timing(arrivals: Arrivals, *, output_tokens: int | None = None) -> StreamTiming:
    """Summarise the arrivals of one reply.

    A reply in a single chunk has no rate and no gap: nothing can be said about its continuity.
    """
    started_s, chunks_s = arrivals.started_s, arrivals.chunks_s
    duration_ms = (arrivals.ended_s - started_s) * 1000
    silence_ms = None if arrivals.silence_s is None else arrivals.silence_s * 1000
    if not chunks_s:
        return StreamTiming(duration_ms=duration_ms, silence_ms=silence_ms, keep_alives=arrivals.keep_alives)
    gaps_ms = [(later - earlier) * 1000 for earlier, later in pairwise(chunks_s)]
    answered_s = arrivals.first_answer_s
    return StreamTiming(
        duration_ms=duration_ms,
        ttft_ms=(chunks_s[0] - started_s) * 1000,
        ttfat_ms=None if answered_s is None else (answered_s - started_s) * 1000,
        max_gap_ms=max(gaps_ms) if gaps_ms else None,
        silence_ms=silence_ms,
        stalls=sum(gap_ms > STALL_MS for gap_ms in gaps_ms),
        chunks=len(chunks_s),
        tokens_per_s=_tokens_per_s(chunks_s, output_tokens),
        continuity=continuity(chunks_s),
        keep_alives=arrivals.keep_alives,
    )


def continuity(chunks_s: Sequence[float]) -> float | None:
    """How evenly the pieces of a reply arrived, from 0 to 1; None if they came in fewer than three moments.

    1 / (1 + coefficient of variation of the gaps), less a tenth for each gap of more than three times the
    mean. Pieces within 10 ms count as one moment, gaps below 50 ms as 50 ms.
    """
    if len(chunks_s) < _MIN_MOMENTS:
        return None
    gaps_s: list[float] = []
    last_s = chunks_s[0]
    for chunk_s in chunks_s:
        gap_s = chunk_s - last_s
        if gap_s >= _TOGETHER_S:
            gaps_s.append(max(gap_s, _UNSEEN_S))
            last_s = chunk_s
    if len(gaps_s) + 1 < _MIN_MOMENTS:
        return None
    mean_s = fmean(gaps_s)
    deviation_s = math.sqrt(fmean([(gap_s - mean_s) ** 2 for gap_s in gaps_s]))
    long_gaps = sum(gap_s > _LONG_GAP * mean_s for gap_s in gaps_s)
    return max(0.0, 1 - _PENALTY * long_gaps) / (1 + deviation_s / mean_s)


def combined_timing(timings: Iterable[StreamTiming | None]) -> StreamTiming | None:
    """The timing of an attempt of several calls; None if one of them has none.

    Durations, stalls, chunks and keep-alives add up, gaps and silences are the longest; the first token is
    that of the first call. There is no common rate, and continuity is the mean over the calls that have one.
    """
    known = list(timings)
    if not known or any(one is None for one in known):
        return None
    parts = [one for one in known if one is not None]
    if len(parts) == 1:
        return parts[0]
    evenness = [one.continuity for one in parts if one.continuity is not None]
    return StreamTiming(
        duration_ms=sum(one.duration_ms for one in parts),
        ttft_ms=parts[0].ttft_ms,
        max_gap_ms=_longest(one.max_gap_ms for one in parts),
        silence_ms=_longest(one.silence_ms for one in parts),
        stalls=sum(one.stalls for one in parts),
        chunks=sum(one.chunks for one in parts),
        continuity=fmean(evenness) if evenness else None,
        keep_alives=sum(one.keep_alives for one in parts),
    )


def _longest(values_ms: Iterable[float | None]) -> float | None:
    return max((value_ms for value_ms in values_ms if value_ms is not None), default=None)


def _tokens_per_s(chunks_s: Sequence[float], output_tokens: int | None) -> float | None:
    if output_tokens is None or len(chunks_s) < _MIN_ARRIVALS_FOR_RATE:
        return None
    span_s = chunks_s[-1] - chunks_s[0]
    return output_tokens / span_s if span_s > 0 else None
