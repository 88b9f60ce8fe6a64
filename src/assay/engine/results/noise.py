"""How far a model's scores lie from its own when the same items are asked again."""

import asyncio
import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError
from assay.domain.run import Evaluation, Run
from assay.domain.stats import RepeatNoise, repeat_noise
from assay.engine.stores import Stores

_MOST_ITEMS = 100
Scores = Mapping[ItemId, Mapping[int, float]]
"""By item and sample; attempts without a verdict are not in it."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One sample of each item: its mean score over the `n` items that have one."""

    score: float | None
    n: int


@dataclass(frozen=True, slots=True)
class ItemNoise:
    """The scores of an item in the order of its samples; None where there is no verdict."""

    item_id: ItemId
    scores: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class NoiseReport:
    """`noise` is None where no item has two verdicts; `missing` counts the attempts without one.

    `items` are the least steady first: up to a hundred whose scores are not all equal.
    """

    evaluation: Evaluation
    noise: RepeatNoise | None
    passes: tuple[Pass, ...]
    missing: int
    items: tuple[ItemNoise, ...]


async def noise_reports(stores: Stores, run: Run) -> tuple[NoiseReport, ...]:
    """One for each evaluation of a run with several samples, from the attempts that are stored so far."""
    if run.spec.samples < 2:  # noqa: PLR2004  nothing to compare
        raise InvalidValueError(
            f"run {run.id[:8]!r} asked each item once: nothing tells what asking again would change"
        )
    found: list[NoiseReport] = []
    for one in await stores.runs.evaluations(run.id):
        scores: dict[ItemId, dict[int, float]] = defaultdict(dict)
        async for attempt in stores.attempts.results(one.id):
            if attempt.score is not None:
                scores[attempt.item_id][attempt.sample] = attempt.score
        # A second for tens of thousands of attempts: too long for an event loop that others wait on.
        found.append(await asyncio.to_thread(_report, one, scores))
    return tuple(found)


def _report(evaluation: Evaluation, scores: Scores) -> NoiseReport:
    flat = [(value, str(item)) for item, own in scores.items() for value in own.values()]
    return NoiseReport(
        evaluation=evaluation,
        noise=repeat_noise([value for value, _ in flat], [item for _, item in flat]),
        passes=tuple(_pass(scores, sample) for sample in range(evaluation.samples)),
        missing=evaluation.total_attempts - len(flat),
        items=_unsteady(evaluation, scores),
    )


def _pass(scores: Scores, sample: int) -> Pass:
    own = [by_sample[sample] for by_sample in scores.values() if sample in by_sample]
    return Pass(math.fsum(own) / len(own) if own else None, len(own))


def _unsteady(evaluation: Evaluation, scores: Scores) -> tuple[ItemNoise, ...]:
    spread = {
        item: statistics.pvariance(own.values()) for item, own in scores.items() if len(set(own.values())) > 1
    }
    ranked: Sequence[ItemId] = sorted(spread, key=lambda item: (-spread[item], item))
    samples = range(evaluation.samples)
    return tuple(
        ItemNoise(item, tuple(scores[item].get(sample) for sample in samples))
        for item in ranked[:_MOST_ITEMS]
    )
