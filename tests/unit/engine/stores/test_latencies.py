import pytest

from assay.domain.timing import StreamTiming
from assay.engine.stores.latencies import BOUNDS_S, Latencies, counted


def test_each_count_includes_those_of_the_bounds_before() -> None:
    found = counted([StreamTiming(100.0), StreamTiming(100.1), StreamTiming(700_000.0, 30.0)])
    assert found.duration.counts == (1, *([2] * (len(BOUNDS_S) - 1)), 3)
    assert found.duration.sum_s == pytest.approx(700.2001)
    assert found.ttft.counts == (1,) * (len(BOUNDS_S) + 1)


def test_counts_add_up() -> None:
    one, two = [StreamTiming(90.0, 80.0)], [StreamTiming(5_000.0)]
    assert counted(one) + counted(two) + Latencies() == counted(one + two)
