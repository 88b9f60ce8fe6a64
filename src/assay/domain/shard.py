"""The slice of an evaluation that one worker executes as one job."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType
from uuid import uuid4

from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.run import Evaluation, EvaluationId, RunId

ShardId = NewType("ShardId", str)

# Small enough that several workers share an evaluation, large enough that delivery costs little.
_SHARDS_PER_EVALUATION = 32
_MIN_ATTEMPTS = 20
_MAX_ATTEMPTS = 1000


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

    def keys(self, item_ids: Sequence[ItemId]) -> Iterator[AttemptKey]:
        """All items once per sample, so that a stopped run has complete rounds."""
        for position in range(self.start, self.stop):
            sample, index = divmod(position, len(item_ids))
            yield AttemptKey(item_ids[index], sample)


def shards_of(evaluation: Evaluation) -> tuple[Shard, ...]:
    total = evaluation.total_attempts
    size = max(_MIN_ATTEMPTS, min(_MAX_ATTEMPTS, -(-total // _SHARDS_PER_EVALUATION)))
    return tuple(
        Shard(ShardId(str(uuid4())), evaluation.run_id, evaluation.id, start, min(start + size, total))
        for start in range(0, total, size)
    )
