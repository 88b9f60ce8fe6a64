"""How times are put into bins."""

from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from assay.api.results.latency import latency_report
from assay.api.schemas.items import LatencyReport
from assay.domain.attempt import Attempt
from assay.domain.calls.timing import StreamTiming
from tests.builders import attempt


async def report_of(*timings: StreamTiming | None) -> LatencyReport:
    async def attempts() -> AsyncIterator[Attempt]:
        for number, timing in enumerate(timings):
            yield attempt(str(number), timing=timing)

    return await latency_report(attempts())


@given(st.lists(st.floats(min_value=1e-3, max_value=1e7), min_size=1, max_size=40))
async def test_every_time_is_in_one_bin_that_holds_it(times_ms: list[float]) -> None:
    report = await report_of(*(StreamTiming(duration_ms=time_ms) for time_ms in times_ms))
    found = report.metrics["duration_ms"]
    assert found.n == sum(one.count for one in found.bins) == len(times_ms)
    for earlier, later in zip(found.bins, found.bins[1:], strict=False):
        assert earlier.high == later.low
    for time_ms in times_ms:
        assert found.bins[0].low * 0.999 <= time_ms <= found.bins[-1].high * 1.001
    assert found.bins[0].count > 0
    assert found.bins[-1].count > 0


async def test_what_was_not_measured_is_left_out() -> None:
    report = await report_of(None, StreamTiming(duration_ms=5.0, stalls=2), StreamTiming(duration_ms=0.0))
    assert (report.replies, report.stalled) == (2, 1)
    assert report.metrics.keys() == {"duration_ms"}
    assert report.metrics["duration_ms"].n == 1


async def test_nothing_at_all_has_no_metrics() -> None:
    assert await report_of() == LatencyReport(replies=0, stalled=0, metrics={})
