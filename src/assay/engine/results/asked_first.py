"""The part of an evaluation that its score covers, where a stopping rule ended it early."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from assay.domain.benchmark import ItemId
from assay.domain.run import Evaluation, RunSpec
from assay.domain.shard import execution_order_of
from assay.domain.stats import (
    Estimate,
    Interval,
    IntervalMethod,
    Population,
    UnitScores,
    score_limits_at,
    single_value,
)
from assay.domain.stopping import Stopped
from assay.engine.results.race import Race
from assay.engine.results.sequential import MOST_SHOWN_ITEMS
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.runs import RunStore

_ALPHA = 0.05


class AskedFirst(NamedTuple):
    """The items that a score covers whose evaluation ended before all were asked."""

    items: Sequence[ItemId]
    stopped: Stopped


async def asked_first(
    runs: RunStore, attempts: AttemptStore, evaluation: Evaluation, item_ids: Sequence[ItemId]
) -> AskedFirst | None:
    """None where all of the evaluation's items are answered, or more of them are needed."""
    run = await runs.get(evaluation.run_id)
    if run.spec.stop is None:
        return None
    outcomes = (await attempts.outcome_counts([run.id])).get(evaluation.id, {})
    if sum(outcomes.values()) >= evaluation.total_attempts:
        return None
    own = await runs.evaluations_of([run.id])
    beside = [one for one in own[run.id] if one.benchmark == evaluation.benchmark]
    # The order of a large data set takes a second.
    race = await asyncio.to_thread(Race.of, run.spec, run.spec.stop, beside, item_ids)
    await race.advance(attempts.scores)
    stopped = race.stopped(evaluation.id)
    return None if stopped is None else AskedFirst(race.order[: stopped.after], stopped)


def known_first(evaluation: Evaluation, spec: RunSpec, item_ids: Sequence[ItemId]) -> AskedFirst | None:
    """What the stored summary covers, for figures that are to be compared with it."""
    stopped = evaluation.summary and evaluation.summary.stopped
    if stopped is None:
        return None
    order = execution_order_of(evaluation, spec)
    return AskedFirst([item_ids[place] for place in order[: stopped.after]], stopped)


def sequence_estimate(
    score: Estimate | None, per_item: Mapping[ItemId, Sequence[float]], first: AskedFirst, samples: int
) -> Estimate | None:
    """With an interval that holds although the scores decided how many items were asked."""
    if score is None:
        return None
    units = first.stopped.population
    population = Population(units, units * samples, samples)
    values = [
        single_value(UnitScores(tuple(per_item.get(item, ())), samples), population)
        for item in first.items[:MOST_SHOWN_ITEMS]
    ]
    [limits] = score_limits_at(values, population, alpha=_ALPHA, at=[len(values)])
    interval = Interval(limits.low, limits.high, IntervalMethod.SEQUENCE, 1 - _ALPHA)
    return replace(score, interval=interval)
