"""Summarises stored attempts: the score with its denominator, its interval and what is missing."""

import asyncio
import statistics
from array import array
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Benchmark, HasMetrics, Item, ItemId, Result
from assay.domain.calls.timing import StreamTiming
from assay.domain.outcome import Outcome
from assay.domain.stats import (
    Estimate,
    majority_vote,
    missing_bounds,
    pass_at_k,
    pass_hat_k,
    percentile_summary,
    score_estimate,
)
from assay.domain.summary import Bounds, Summary, Tokens
from assay.engine.graders.number import parse_number
from assay.engine.planning.lazy_items import LazyItems
from assay.engine.results.asked_first import AskedFirst, sequence_estimate
from assay.engine.results.judge_tally import JudgeTally

_TIMINGS = (
    "duration_ms",
    "ttft_ms",
    "ttfat_ms",
    "max_gap_ms",
    "silence_ms",
    "tokens_per_s",
    "continuity",
    "keep_alives",
    "stalls",
)


async def summarise(
    attempts: AsyncIterator[Attempt],
    *,
    benchmark: Benchmark | None,
    items: Sequence[Item],
    samples: int,
    first: AskedFirst | None = None,
) -> Summary:
    """Read every attempt once, keeping only numbers; `items` are all items of the evaluation.

    Of an evaluation that ended early only the items asked `first` are scored; all attempts have their cost.
    """
    tally = _Tally(_groups(items), keeps_results=isinstance(benchmark, HasMetrics))
    votes = MajorityVote() if samples > 1 else None
    scored = None if first is None else frozenset(first.items)
    async for attempt in attempts:
        tally.add_cost(attempt)
        if scored is not None and attempt.item_id not in scored:
            continue
        tally.add(attempt)
        if votes is not None:
            votes.add(attempt)
    total = (len(items) if first is None else len(first.items)) * samples

    def summary_of_all() -> Summary:
        metrics = _repeat_metrics(tally.per_item, samples)
        if votes is not None:
            metrics |= votes.metrics(samples)
        if isinstance(benchmark, HasMetrics):
            metrics |= benchmark.metrics(tally.results)
        return tally.summary(total=total, metrics=metrics)

    # That of a hundred thousand items takes a second.
    summary = await asyncio.to_thread(summary_of_all)
    if first is None:
        return summary
    score = await asyncio.to_thread(sequence_estimate, summary.score, tally.per_item, first, samples)
    return replace(summary, score=score, stopped=first.stopped)


class _Group(NamedTuple):
    """What an item belongs to."""

    category: str | None = None
    cluster: str | None = None


def _groups(items: Sequence[Item]) -> Mapping[ItemId, _Group]:
    """The groups of the items that have any; the lines of a data set are not read for it."""
    if isinstance(items, LazyItems):
        return {item_id: _Group(category) for item_id, category in items.categories.items()}
    return {item.id: _Group(item.category, item.cluster) for item in items if item.category or item.cluster}


class _Tally:
    def __init__(self, groups: Mapping[ItemId, _Group], *, keeps_results: bool) -> None:
        self._items = groups
        self._has_clusters = any(group.cluster for group in groups.values())
        self._keeps_results = keeps_results
        self.results: list[Result] = []
        self.per_item: dict[ItemId, list[float]] = defaultdict(list)
        self._outcomes: Counter[Outcome] = Counter()
        self._timings = {name: array("d") for name in _TIMINGS}
        self._tokens = Counter[str]()
        self._cost_usd: Decimal | None = Decimal(0)
        self._judging = JudgeTally()
        self._cut = 0
        self._retried = 0
        self._reused = 0
        self._with_logprobs = 0
        self._began: datetime | None = None
        self._ended: datetime | None = None

    def add_cost(self, attempt: Attempt) -> None:
        """What the attempt took, whether it is scored or not."""
        self._retried += attempt.tries > 1
        self._reused += attempt.is_reused
        self._with_logprobs += attempt.has_logprobs
        if self._began is None or attempt.started_at < self._began:
            self._began = attempt.started_at
        if self._ended is None or attempt.finished_at > self._ended:
            self._ended = attempt.finished_at
        if attempt.timing is not None:
            self._add_timing(attempt.timing)
        self._judging.add_cost(attempt)
        if attempt.outcome.is_final or attempt.usage.output_tokens is not None:
            self._add_usage(attempt)

    def add(self, attempt: Attempt) -> None:
        self._outcomes[attempt.outcome] += 1
        self._cut += attempt.is_cut
        self._judging.add_votes(attempt)
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
        answered = self._outcomes[Outcome.ANSWERED]
        return Summary(
            score=self._estimate(list(self.per_item)),
            scored=scored,
            total=total,
            outcomes=dict(self._outcomes),
            bounds=self._bounds(scored, total - answered) if scored or not answered else None,
            cut=self._cut,
            tokens=Tokens(**self._tokens),
            cost_usd=self._cost_usd if scored or answered else None,
            judge_cost_usd=self._judging.cost_usd,
            agreement=self._judging.agreement(),
            retried=self._retried,
            reused=self._reused,
            with_logprobs=self._with_logprobs,
            within_variance=self._within_variance(),
            metrics=metrics,
            categories=self._categories(),
            latency={name: percentile_summary(values) for name, values in self._timings.items() if values},
            duration_s=self._duration_s(),
        )

    def _within_variance(self) -> float | None:
        repeated = [scores for scores in self.per_item.values() if len(scores) > 1]
        return statistics.fmean(map(statistics.variance, repeated)) if repeated else None

    def _duration_s(self) -> float | None:
        if self._began is None or self._ended is None:
            return None
        return max(0.0, (self._ended - self._began).total_seconds())

    def _bounds(self, scored: int, graded: int) -> Bounds:
        return Bounds(*missing_bounds(sum(map(sum, self.per_item.values())), scored, graded))

    def _estimate(self, item_ids: Sequence[ItemId]) -> Estimate | None:
        values = [score for item_id in item_ids for score in self.per_item[item_id]]
        if len(values) == len(item_ids) and not self._has_clusters:
            return score_estimate(values)
        clusters: list[str] = []
        for item_id in item_ids:
            item = self._items.get(item_id)
            # Repeats of one item are not independent, nor are items that share a passage.
            clusters += [item.cluster if item and item.cluster else item_id] * len(self.per_item[item_id])
        return score_estimate(values, clusters)

    def _categories(self) -> dict[str, Estimate]:
        members: dict[str, list[ItemId]] = defaultdict(list)
        for item_id in self.per_item:
            item = self._items.get(item_id)
            if item and item.category:
                members[item.category].append(item_id)
        estimates = ((name, self._estimate(ids)) for name, ids in sorted(members.items()))
        return {name: estimate for name, estimate in estimates if estimate is not None}


def _repeat_metrics(per_item: Mapping[ItemId, Sequence[float]], samples: int) -> dict[str, Estimate]:
    """pass@k and pass^k over the items all of whose samples have a verdict of 0 or 1."""
    complete = {item_id: scores for item_id, scores in per_item.items() if len(scores) == samples}
    values = [score for scores in complete.values() for score in scores]
    if samples == 1 or any(score not in (0.0, 1.0) for score in values):
        return {}
    clusters = [item_id for item_id, scores in complete.items() for _score in scores]
    found: dict[str, Estimate | None] = {"pass@1": score_estimate(values, clusters)}
    right = [int(sum(scores)) for scores in complete.values()]
    for k in sorted({2, samples}):
        found[f"pass@{k}"] = score_estimate([pass_at_k(samples, c, k) for c in right], None)
        found[f"pass^{k}"] = score_estimate([pass_hat_k(samples, c, k) for c in right], None)
    return {name: estimate for name, estimate in found.items() if estimate is not None}


class MajorityVote:
    """Counts each attempt with a verdict as one vote for its extracted answer."""

    def __init__(self) -> None:
        self._answers: dict[ItemId, list[tuple[str | None, float]]] = defaultdict(list)

    def add(self, attempt: Attempt) -> None:
        if attempt.score is not None:
            self._answers[attempt.item_id].append((_normalised(attempt.extracted), attempt.score))

    def metrics(self, samples: int) -> Mapping[str, Estimate]:
        """The score of the most frequent answer, over the items all of whose samples have a verdict."""
        complete = [answers for answers in self._answers.values() if len(answers) == samples]
        if not any(answer is not None for answers in complete for answer, _score in answers):
            return {}
        estimate = score_estimate([_majority_score(answers) for answers in complete], None)
        return {} if estimate is None else {"majority": estimate}


def _majority_score(answers: list[tuple[str | None, float]]) -> float:
    chosen = majority_vote(answer for answer, _score in answers)
    return next((score for answer, score in answers if answer == chosen and answer is not None), 0.0)


def _normalised(extracted: str | None) -> str | None:
    """Numbers are compared by value: 024 and 24 are one answer."""
    if extracted is None:
        return None
    number = parse_number(extracted)
    return extracted.strip() if number is None else str(number.normalize())
