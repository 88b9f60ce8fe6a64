"""The slice of an evaluation that one worker executes as one job."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NewType
from uuid import uuid4

from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.run import Evaluation, EvaluationId, RunId, RunSpec
from assay.domain.subset import execution_order

ShardId = NewType("ShardId", str)

# Small enough that several workers share an evaluation, large enough that delivery costs little.
_SHARDS_PER_EVALUATION = 32
_MIN_ATTEMPTS = 20
_MAX_ATTEMPTS = 1000
# A wave is a fraction of what was asked before it, so that little more is asked than a decision takes.
_LEAST_WAVE = 8
_WAVE_SHARE = 32
_CONNECTIONS_SHARE = 4


class ShardState(StrEnum):
    OPEN = "open"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Shard:
    """Attempts `start` to `stop` of an evaluation; the epoch increases each time it is queued again."""

    id: ShardId
    run_id: RunId
    evaluation_id: EvaluationId
    start: int
    stop: int
    state: ShardState = ShardState.OPEN
    epoch: int = 0
    # Execute attempts without a verdict again, instead of counting them as done.
    retries_missing: bool = False

    def keys(
        self, item_ids: Sequence[ItemId], order: Sequence[int], *, together: int = 1
    ) -> Iterator[AttemptKey]:
        """All items in the given order once per sample, so that a stopped run has complete rounds.

        Or so many samples of an item together, so that a decision has complete items.
        """
        for position in range(self.start, self.stop):
            if together > 1:
                index, sample = divmod(position, together)
            else:
                sample, index = divmod(position, len(item_ids))
            yield AttemptKey(item_ids[order[index]], sample)


def execution_order_of(evaluation: Evaluation, spec: RunSpec) -> Sequence[int]:
    """The order of the evaluation's items that the positions of its shards refer to."""
    asked = evaluation.asked_items
    if spec.item_order == "data":
        return range(asked)
    return execution_order(
        asked,
        # Named items stand in the order of the data, as a whole benchmark does.
        benchmark_size=asked if spec.items else evaluation.benchmark_size,
        seed=spec.subset.seed,
        benchmark=evaluation.benchmark,
    )


def isolated(shard: Shard, position: int) -> tuple[Shard, ...]:
    """The shard in up to three parts, of which the one that keeps its id has only this position."""
    parts = ((shard.start, position), (position, position + 1), (position + 1, shard.stop))
    return tuple(
        replace(shard, id=shard.id if start == position else ShardId(str(uuid4())), start=start, stop=stop)
        for start, stop in parts
        if start < stop
    )


def shards_of(evaluation: Evaluation) -> tuple[Shard, ...]:
    total = evaluation.total_attempts
    size = max(_MIN_ATTEMPTS, min(_MAX_ATTEMPTS, -(-total // _SHARDS_PER_EVALUATION)))
    return tuple(
        Shard(ShardId(str(uuid4())), evaluation.run_id, evaluation.id, start, min(start + size, total))
        for start in range(0, total, size)
    )


def waves_of(evaluation: Evaluation, *, connections: int) -> tuple[Shard, ...]:
    """Shards of whole items that grow with what was asked before, from a part of the connections on."""
    samples, total = evaluation.samples, evaluation.total_attempts
    least = max(_LEAST_WAVE, -(-connections // _CONNECTIONS_SHARE))
    waves: list[Shard] = []
    start = 0
    while start < total:
        attempts = min(_MAX_ATTEMPTS, max(least, start // _WAVE_SHARE))
        stop = min(total, start + samples * -(-attempts // samples))
        waves.append(Shard(ShardId(str(uuid4())), evaluation.run_id, evaluation.id, start, stop))
        start = stop
    return tuple(waves)


def in_waves(shards: Iterable[Shard], evaluations: Sequence[Evaluation]) -> list[Shard]:
    """One benchmark after the other, and in each the models in turn, so that they answer side by side."""
    names = list(dict.fromkeys(one.benchmark for one in evaluations))
    places = {one.id: (names.index(one.benchmark), place) for place, one in enumerate(evaluations)}

    def turn(shard: Shard) -> tuple[int, int, int]:
        benchmark, place = places[shard.evaluation_id]
        return benchmark, shard.start, place

    return sorted(shards, key=turn)
