"""From stored attempts to a score with its denominator, interval and what is missing."""

from array import array
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from decimal import Decimal

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Benchmark, HasMetrics, Item, ItemId, Result
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate, missing_bounds, pass_at_k, pass_hat_k, percentiles, score_estimate
from assay.domain.summary import Bounds, Percentiles, Summary, Tokens
from assay.domain.timing import StreamTiming

_POINTS = (50.0, 90.0, 99.0, 100.0)
_TIMINGS = ("duration_ms", "ttft_ms", "ttfat_ms", "max_gap_ms", "silence_ms", "tokens_per_s")


async def summarise(
    attempts: AsyncIterator[Attempt], *, benchmark: Benchmark, items: Sequence[Item], samples: int
) -> Summary:
    """Read every attempt once, keeping numbers only; `items` are all that were to be attempted."""
    tally = _Tally({item.id: item for item in items}, keeps_results=isinstance(benchmark, HasMetrics))
    async for attempt in attempts:
        tally.add(attempt)
    metrics = _repeat_metrics(tally.per_item, samples)
    if isinstance(benchmark, HasMetrics):
        metrics |= benchmark.metrics(tally.results)
    return tally.summary(total=len(items) * samples, metrics=metrics)


class _Tally:
    def __init__(self, items: Mapping[ItemId, Item], *, keeps_results: bool) -> None:
        self._items = items
        self._keeps_results = keeps_results
        self.results: list[Result] = []
        self.per_item: dict[ItemId, list[float]] = defaultdict(list)
        self._outcomes: Counter[Outcome] = Counter()
        self._timings = {name: array("d") for name in _TIMINGS}
        self._tokens = Counter[str]()
        self._cost_usd: Decimal | None = Decimal(0)
        self._judge_cost_usd: Decimal | None = None
        self._cut = 0
        self._retried = 0
        self._began = float("inf")
        self._ended = float("-inf")

    def add(self, attempt: Attempt) -> None:
        self._outcomes[attempt.outcome] += 1
        self._cut += attempt.is_cut
        self._retried += attempt.tries > 1
        self._began = min(self._began, attempt.started_at.timestamp())
        self._ended = max(self._ended, attempt.finished_at.timestamp())
        if attempt.timing is not None:
            self._add_timing(attempt.timing)
        if attempt.judge_cost_usd is not None:
            self._judge_cost_usd = (self._judge_cost_usd or Decimal(0)) + attempt.judge_cost_usd
        if attempt.score is not None or attempt.usage.output_tokens is not None:
            self._add_usage(attempt)
        if attempt.score is not None:
            self._add_verdict(attempt, attempt.score)

    def _add_timing(self, timing: StreamTiming) -> None:
        for name, values in self._timings.items():
            value: float | None = getattr(timing, name)
            if value is not None:
                values.append(value)

    def _add_verdict(self, attempt: Attempt, score: float) -> None:
        self.per_item[attempt.item_id].append(score)
        if self._keeps_results:
            item = self._items.get(attempt.item_id)
            self.results.append(
                Result(
                    item_id=attempt.item_id,
                    sample=attempt.sample,
                    outcome=attempt.outcome,
                    score=score,
                    category=item.category if item else None,
                    cluster=item.cluster if item else None,
                    details=attempt.details,
                )
            )

    def _add_usage(self, attempt: Attempt) -> None:
        usage = attempt.usage
        if usage.input_tokens is None or usage.output_tokens is None:
            self._tokens["unknown"] += 1
        else:
            self._tokens["input"] += usage.input_tokens
            self._tokens["output"] += usage.output_tokens
            self._tokens["reasoning"] += usage.reasoning_tokens or 0
        if attempt.cost_usd is None:
            self._cost_usd = None
        elif self._cost_usd is not None:
            self._cost_usd += attempt.cost_usd

    def summary(self, *, total: int, metrics: Mapping[str, Estimate]) -> Summary:
        scored = sum(len(scores) for scores in self.per_item.values())
        low, high = missing_bounds(sum(map(sum, self.per_item.values())), scored, total)
        return Summary(
            score=self._estimate(list(self.per_item)),
            scored=scored,
            total=total,
            outcomes=dict(self._outcomes),
            bounds=Bounds(low, high),
            cut=self._cut,
            tokens=Tokens(**self._tokens),
            cost_usd=self._cost_usd if scored else None,
            judge_cost_usd=self._judge_cost_usd,
            retried=self._retried,
            metrics=metrics,
            categories=self._categories(),
            latency={name: _percentiles(values) for name, values in self._timings.items() if values},
            duration_s=max(0.0, self._ended - self._began) if self._outcomes else None,
        )

    def _estimate(self, item_ids: Sequence[ItemId]) -> Estimate | None:
        values: list[float] = []
        clusters: list[str] = []
        for item_id in item_ids:
            item = self._items.get(item_id)
            scores = self.per_item[item_id]
            values += scores
            # Repeats of one item are not independent, nor are items that share a passage.
            clusters += [item.cluster if item and item.cluster else item_id] * len(scores)
        return score_estimate(values, clusters)

    def _categories(self) -> dict[str, Estimate]:
        members: dict[str, list[ItemId]] = defaultdict(list)
        for item_id in self.per_item:
            item = self._items.get(item_id)
            if item and item.category:
                members[item.category].append(item_id)
        estimates = ((name, self._estimate(ids)) for name, ids in sorted(members.items()))
        return {name: estimate for name, estimate in estimates if estimate is not None}


def _percentiles(values: Sequence[float]) -> Percentiles:
    found = percentiles(values, _POINTS)
    return {"p50": found[50.0], "p90": found[90.0], "p99": found[99.0], "max": found[100.0], "n": len(values)}


def _repeat_metrics(per_item: Mapping[ItemId, Sequence[float]], samples: int) -> dict[str, Estimate]:
    """pass@k and pass^k over the items all of whose samples have a verdict of 0 or 1."""
    complete = [scores for scores in per_item.values() if len(scores) == samples]
    if (
        samples == 1
        or not complete
        or any(score not in (0.0, 1.0) for scores in complete for score in scores)
    ):
        return {}
    found: dict[str, Estimate | None] = {}
    for k in sorted({1, 2, samples}):
        right = [int(sum(scores)) for scores in complete]
        found[f"pass@{k}"] = score_estimate([pass_at_k(samples, c, k) for c in right], None)
        found[f"pass^{k}"] = score_estimate([pass_hat_k(samples, c, k) for c in right], None)
    return {name: estimate for name, estimate in found.items() if estimate is not None}
