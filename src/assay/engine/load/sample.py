"""One request of a load test, and the measures of its reply."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from assay.domain.calls.messages import Completion, Usage
from assay.domain.calls.timing import Arrivals, StreamTiming
from assay.domain.record import record


@record
class Sample:
    """Moments on the clock of the test; `due_s` is when the load asked for the request.

    `error` is the class of what went wrong, None for a reply. The texts are not kept.
    """

    due_s: float
    called_s: float
    ended_s: float
    error: str | None = None
    arrivals: Arrivals | None = None
    timing: StreamTiming | None = None
    usage: Usage = Usage()

    @property
    def sent_s(self) -> float:
        """When the request was written to the connection, or the attempt to do so began."""
        return self.called_s if self.arrivals is None else self.arrivals.started_s

    @property
    def gaps_ms(self) -> Sequence[float]:
        """The waits between the chunks that carried something."""
        if self.arrivals is None:
            return ()
        return [(later - earlier) * 1000 for earlier, later in pairwise(self.arrivals.chunks_s)]


def answered(due_s: float, called_s: float, ended_s: float, completion: Completion) -> Sample:
    arrivals = completion.arrivals
    return Sample(
        due_s,
        called_s,
        # When the last byte came, not when a task was woken for it.
        ended_s if arrivals is None else arrivals.ended_s,
        arrivals=arrivals,
        timing=completion.timing,
        usage=completion.usage,
    )


def measures(sample: Sample, *, from_due: bool) -> Mapping[str, float]:
    """The latencies of a reply in milliseconds, counted from when it was due or from its sending."""
    timing = sample.timing
    waited_ms = (sample.sent_s - sample.due_s) * 1000 if from_due else 0.0
    found = {"e2e_ms": waited_ms + (sample.ended_s - sample.sent_s) * 1000}
    if timing is None:
        return found
    gaps_ms = sample.gaps_ms
    known = {
        "ttft_ms": None if timing.ttft_ms is None else waited_ms + timing.ttft_ms,
        "ttfat_ms": None if timing.ttfat_ms is None else waited_ms + timing.ttfat_ms,
        "mean_itl_ms": fmean(gaps_ms) if gaps_ms else None,
        "max_gap_ms": timing.max_gap_ms,
        "tokens_per_s": timing.tokens_per_s,
    }
    return found | {name: value for name, value in known.items() if value is not None}
