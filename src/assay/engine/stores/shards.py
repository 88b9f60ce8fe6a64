"""The store of shards."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from assay.domain.event import Event
from assay.domain.run import EvaluationId, Run, RunId
from assay.domain.shard import Shard, ShardId
from assay.engine.stores.runs import Within


class ShardStore(Protocol):
    """Each method is one transaction."""

    async def get(self, shard_id: ShardId) -> Shard: ...

    async def list(self, run_id: RunId) -> tuple[Shard, ...]:
        """In order of evaluation and start."""
        ...

    async def reopen(
        self, run_id: RunId, shards: Sequence[Shard], *, at: datetime, events: Sequence[Event], within: Within
    ) -> Run:
        """Put the run and the evaluations of these shards back into the queue, and store the shards as given.

        States that are queued or running already stay as they are.
        """
        ...

    async def finish(self, shard_id: ShardId, *, epoch: int) -> bool:
        """Mark it done, unless it was handed out anew; whether its evaluation has no open shard left.

        Only the last of concurrent callers gets True, and whoever calls again.
        """
        ...

    async def close(self, evaluation_id: EvaluationId) -> None:
        """Mark every shard of the evaluation done: what it has not asked is not needed."""
        ...

    async def list_open(self, run_ids: Sequence[RunId]) -> tuple[Shard, ...]: ...
