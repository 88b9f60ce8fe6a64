"""What the requests of one level say about the endpoint, and whether the generator kept its schedule."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.domain.load import NOT_SENT, GeneratorLag, LevelResult, Loop
from assay.domain.stats import percentile_summary
from assay.domain.summary import Percentiles
from assay.engine.load.goodput import GoodputLimit
from assay.engine.load.sample import Sample, measures

# A timer of the event loop is exact to a millisecond or two.
_LEAST_LAG_MS = 5.0
_LAG_SHARE = 0.05
_FROM_DUE = ("ttft_ms", "ttfat_ms", "e2e_ms")


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a stage that a level is about: from when to when, and at which load."""

    load: float
    start_s: float
    end_s: float
    is_slice: bool = False

    def has(self, moment_s: float) -> bool:
        return self.start_s <= moment_s < self.end_s


@dataclass(frozen=True, slots=True)
class Reading:
    """How the samples of a test are read."""

    loop: Loop
    goodput: tuple[GoodputLimit, ...]
    stall_ms: float


@dataclass(frozen=True, slots=True)
class StageSamples:
    """All that a stage left; `loop_lags` are moments, and by how many milliseconds the loop was late then."""

    samples: Sequence[Sample]
    loop_lags: Sequence[tuple[float, float]]


def level_result(stage: StageSamples, window: Window, reading: Reading) -> LevelResult:
    """The requests that were due in the window, and the work that was done in it."""
    own = [one for one in stage.samples if window.has(one.due_s)]
    replies = [one for one in own if one.error is None]
    errors = Counter(one.error for one in own if one.error is not None)
    done = [one for one in stage.samples if one.error is None]
    window_s = window.end_s - window.start_s
    good = _good(replies, reading)
    lag = _generator_lag(own, [ms for at_s, ms in stage.loop_lags if window.has(at_s)])
    latency = _latency(replies, reading.loop)
    return LevelResult(
        load=window.load,
        is_slice=window.is_slice,
        window_s=window_s,
        due=len(own),
        answered=len(replies),
        errors=dict(errors.most_common()),
        requests_per_s=sum(_share(one, window) for one in done) / window_s,
        latency=latency,
        lag=lag,
        most_in_flight=_most_in_flight(stage.samples, window),
        stalled=sum(max(one.gaps_ms, default=0.0) > reading.stall_ms for one in replies),
        output_tokens_per_s=_tokens_per_s(done, window),
        mean_input_tokens=_mean([one.usage.input_tokens for one in replies]),
        mean_output_tokens=_mean([one.usage.output_tokens for one in replies]),
        good=good,
        good_per_s=None if good is None else good / window_s,
        distortions=distortions(lag, latency, held_back=errors[NOT_SENT]),
    )


def distortions(lag: GeneratorLag, latency: dict[str, Percentiles], *, held_back: int) -> tuple[str, ...]:
    """Why the figures may say more of the generator than of the endpoint.

    A lag matters if it is not small against what is measured; less than a timer's precision never counts.
    """
    first = latency.get("ttft_ms") or latency.get("e2e_ms")
    allowed_ms = max(_LEAST_LAG_MS, _LAG_SHARE * first["p50"] if first else 0.0)
    found: list[str] = []
    for what, lags in (("sent requests", lag.start_ms), ("noticed arrivals", lag.loop_ms)):
        if lags and lags["p99"] > allowed_ms:
            found.append(f"it {what} {lags['p99']:.0f} ms late at p99, more than {allowed_ms:.0f} ms")
    if held_back:
        found.append(f"it held back {held_back:,} requests, as too many were unanswered")
    return tuple(found)


def _good(replies: Sequence[Sample], reading: Reading) -> int | None:
    if not reading.goodput:
        return None
    found = (measures(one, from_due=reading.loop == "open") for one in replies)
    return sum(all(limit.is_kept(one) for limit in reading.goodput) for one in found)


def _latency(replies: Sequence[Sample], loop: Loop) -> dict[str, Percentiles]:
    values: dict[str, list[float]] = defaultdict(list)
    for one in replies:
        of_sending = measures(one, from_due=False)
        if loop == "open":
            for name, value in measures(one, from_due=True).items():
                values[name].append(value)
            for name in _FROM_DUE:
                if name in of_sending:
                    values[name.replace("_ms", "_sent_ms")].append(of_sending[name])
        else:
            for name, value in of_sending.items():
                values[name].append(value)
        values["itl_ms"] += one.gaps_ms
    return {name: percentile_summary(found) for name, found in values.items() if found}


def _generator_lag(own: Sequence[Sample], loop_lags: Sequence[float]) -> GeneratorLag:
    sent = [one for one in own if one.error != NOT_SENT]
    return GeneratorLag(
        start_ms=percentile_summary([(one.called_s - one.due_s) * 1000 for one in sent]),
        send_ms=percentile_summary([(one.sent_s - one.due_s) * 1000 for one in sent]),
        loop_ms=percentile_summary(loop_lags),
    )


def _share(sample: Sample, window: Window) -> float:
    """How much of the time that a reply took lies in the window."""
    took_s = sample.ended_s - sample.sent_s
    if took_s <= 0:
        return float(window.has(sample.ended_s))
    return max(0.0, min(sample.ended_s, window.end_s) - max(sample.sent_s, window.start_s)) / took_s


def _tokens_per_s(done: Sequence[Sample], window: Window) -> float | None:
    tokens = [(one.usage.output_tokens, _share(one, window)) for one in done]
    if not tokens or any(count is None for count, share in tokens if share):
        return None
    return sum((count or 0) * share for count, share in tokens) / (window.end_s - window.start_s)


def _mean(counts: Sequence[int | None]) -> float | None:
    known = [count for count in counts if count is not None]
    return fmean(known) if known and len(known) == len(counts) else None


def _most_in_flight(samples: Sequence[Sample], window: Window) -> int:
    """The most requests that were unanswered at a moment of the window."""
    sent = [one for one in samples if one.error != NOT_SENT]
    changes = sorted([(one.called_s, 1) for one in sent] + [(one.ended_s, -1) for one in sent])
    most = under_way = 0
    for moment_s, change in changes:
        if moment_s >= window.end_s:
            break
        under_way += change
        # What began earlier is under way when the window begins.
        most = max(most, under_way) if moment_s > window.start_s else under_way
    return most
