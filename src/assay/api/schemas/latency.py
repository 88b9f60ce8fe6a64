"""Times of replies, as responses."""

from collections.abc import Mapping

from assay.api.schemas.fields import Schema


class LatencyBin(Schema):
    """How many values lie from `low` up to, but not at, `high`."""

    low: float
    high: float
    count: int


class LatencyHistogram(Schema):
    n: int
    bins: tuple[LatencyBin, ...]


class LatencyReport(Schema):
    """Of the replies that were timed, with a histogram per metric; `stalled` of them came to a halt."""

    replies: int
    stalled: int
    metrics: Mapping[str, LatencyHistogram]
