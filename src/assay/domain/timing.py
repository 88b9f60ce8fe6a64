"""When the pieces of a streamed reply arrived, and what follows from it."""

from collections.abc import Sequence
from itertools import pairwise

from assay.domain.record import record

STALL_MS = 2_000.0
_MIN_ARRIVALS_FOR_RATE = 2


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


def stream_timing(arrivals: Arrivals, *, output_tokens: int | None = None) -> StreamTiming:
    """Summarise the arrivals of one reply.

    A reply in a single chunk has no rate and no gap: nothing can be said about its continuity.
    """
    started_s, chunks_s = arrivals.started_s, arrivals.chunks_s
    duration_ms = (arrivals.ended_s - started_s) * 1000
    silence_ms = None if arrivals.silence_s is None else arrivals.silence_s * 1000
    if not chunks_s:
        return StreamTiming(duration_ms=duration_ms, silence_ms=silence_ms)
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
    )


def _tokens_per_s(chunks_s: Sequence[float], output_tokens: int | None) -> float | None:
    if output_tokens is None or len(chunks_s) < _MIN_ARRIVALS_FOR_RATE:
        return None
    span_s = chunks_s[-1] - chunks_s[0]
    return output_tokens / span_s if span_s > 0 else None
