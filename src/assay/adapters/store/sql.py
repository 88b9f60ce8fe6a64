"""The store over SQLAlchemy: SQLite in a file, or Postgres."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from assay.adapters.store import (
    attempt_queries,
    event_queries,
    item_facts,
    new_runs,
    run_queries,
    secret_queries,
    shard_queries,
    tally_queries,
    worker_queries,
)
from assay.adapters.store.engine import Database, connected
from assay.adapters.store.schema import prepare
from assay.adapters.store.sql_datasets import SqlDatasets
from assay.adapters.store.sql_fleet_history import SqlFleetHistory
from assay.adapters.store.sql_identity import SqlIdentity
from assay.adapters.store.sql_quotas import SqlQuotas
from assay.adapters.store.sql_registry import SqlRegistry
from assay.adapters.store.sql_reviews import SqlReviews
from assay.adapters.store.sql_stored_runs import SqlStoredRuns
from assay.adapters.store.topics import Topics
from assay.adapters.store.url import located
from assay.adapters.store.write_attempts import write_attempts
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.errors import StoreAwayError
from assay.domain.event import Event
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, Evaluation, EvaluationId, ItemFacts, Run, RunId, State
from assay.domain.shard import Shard, ShardId
from assay.domain.summary import Summary, Tokens
from assay.engine.stores.attempts import AttemptFilter, Spent
from assay.engine.stores.fleet import Worker
from assay.engine.stores.runs import Connections, NewRun, RunControl, RunFilter, RunPage, Within

_AWAY_S = 30.0
_AGAIN_S = 0.25
_RESULTS_PER_PAGE = 500
_ANSWERS_PER_PAGE = 1_000
# With their texts, which may be long.
_WHOLE_PER_PAGE = 200


async def open_store(url: str) -> "SqlStore":
    """Open the database at this URL, creating or upgrading its tables as needed; raises StoreError."""
    database = connected(located(url))
    try:
        await prepare(database)
    except BaseException:
        await database.close()
        raise
    return SqlStore(database)


class SqlStore(
    SqlReviews, SqlDatasets, SqlRegistry, SqlQuotas, SqlStoredRuns, SqlIdentity, SqlFleetHistory, Topics
):
    """`database` may be shared with other parts of the program, such as a queue."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)

    def __repr__(self) -> str:
        return f"SqlStore({self.database.location})"

    async def add_run(self, run: Run, evaluations: Sequence[Evaluation], events: Sequence[Event]) -> None:
        def work(connection: Connection) -> None:
            run_queries.add(connection, run, evaluations)
            event_queries.add(connection, events)

        await self.database.write(work)

    async def run(self, run_id: str) -> Run:
        return await self.database.read(lambda connection: run_queries.one(connection, run_id))

    async def list_runs(self, wanted: RunFilter) -> RunPage:
        return await self.database.read(lambda connection: run_queries.page(connection, wanted))

    async def evaluations(self, run_id: RunId) -> tuple[Evaluation, ...]:
        return await self.database.read(lambda connection: run_queries.evaluations_of(connection, run_id))

    async def evaluations_of(self, run_ids: Sequence[RunId]) -> Mapping[RunId, tuple[Evaluation, ...]]:
        return await self.database.read(
            lambda connection: run_queries.listed_evaluations(connection, run_ids)
        )

    async def item_facts(self, evaluation_id: EvaluationId) -> tuple[ItemFacts, ...]:
        return await self.database.read(
            lambda connection: item_facts.of_evaluation(connection, evaluation_id)
        )

    async def change_run(self, run_id: RunId, state: State, *, at: datetime, error: str | None = None) -> Run:
        write = self.database.write_at_last if state.is_settled else self.database.write
        return await write(
            lambda connection: run_queries.change(connection, run_id, state, at=at, error=error)
        )

    async def change_evaluation(
        self,
        evaluation_id: EvaluationId,
        state: State,
        *,
        at: datetime,
        error: str | None = None,
        summary: Summary | None = None,
    ) -> Evaluation:
        write = self.database.write_at_last if state.is_settled else self.database.write
        return await write(
            lambda connection: run_queries.change_evaluation(
                connection, evaluation_id, state, at=at, error=error, summary=summary
            )
        )

    async def add_attempts(self, attempts: Sequence[Attempt]) -> None:
        """Waits for a server that restarts: what the models have answered was paid for."""
        given_up_at = time.monotonic() + _AWAY_S
        while True:
            try:
                return await write_attempts(self.database, attempts)
            except StoreAwayError:
                if time.monotonic() > given_up_at:
                    raise
                await asyncio.sleep(_AGAIN_S)

    async def stored_keys(
        self, evaluation_id: EvaluationId, *, verdicts_only: bool = False
    ) -> set[AttemptKey]:
        return await self.database.read(
            lambda connection: attempt_queries.stored_keys(
                connection, evaluation_id, verdicts_only=verdicts_only
            )
        )

    async def results(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        """Page by page, each a short transaction: a slow consumer holds no connection and no snapshot."""
        after: AttemptKey | None = None
        while page := await self._results_page(evaluation_id, after):
            for attempt in page:
                yield attempt
            after = page[-1].key

    async def _results_page(self, evaluation_id: EvaluationId, after: AttemptKey | None) -> list[Attempt]:
        return await self.database.read(
            lambda connection: attempt_queries.results_page(
                connection, evaluation_id, after=after, limit=_RESULTS_PER_PAGE
            )
        )

    async def list_attempts(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> tuple[Attempt, ...]:
        return await self.database.read(
            lambda connection: attempt_queries.page(connection, evaluation_id, wanted)
        )

    async def answers(self, evaluation_id: EvaluationId) -> AsyncIterator[tuple[AttemptKey, str]]:
        """Page by page, as `results`."""
        after: AttemptKey | None = None
        while page := await self._answers_page(evaluation_id, after):
            for answer in page:
                yield answer
            after = page[-1][0]

    async def _answers_page(
        self, evaluation_id: EvaluationId, after: AttemptKey | None
    ) -> list[tuple[AttemptKey, str]]:
        return await self.database.read(
            lambda connection: attempt_queries.answers_page(
                connection, evaluation_id, after=after, limit=_ANSWERS_PER_PAGE
            )
        )

    async def whole_attempts(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        """Page by page, as `results`."""
        after: AttemptKey | None = None
        while page := await self._whole_page(evaluation_id, after):
            for attempt in page:
                yield attempt
            after = page[-1].key

    async def _whole_page(self, evaluation_id: EvaluationId, after: AttemptKey | None) -> list[Attempt]:
        return await self.database.read(
            lambda connection: attempt_queries.whole_page(
                connection, evaluation_id, after=after, limit=_WHOLE_PER_PAGE
            )
        )

    async def count_attempts(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> int:
        return await self.database.read(
            lambda connection: attempt_queries.count(connection, evaluation_id, wanted)
        )

    async def attempt(self, evaluation_id: EvaluationId, key: AttemptKey) -> Attempt:
        return await self.database.read(
            lambda connection: attempt_queries.one(connection, evaluation_id, key)
        )

    async def add_events(self, events: Sequence[Event]) -> None:
        await self.database.write_at_last(lambda connection: event_queries.add(connection, events))

    async def list_events(
        self, run_id: RunId | None, *, after: int = 0, limit: int = 500
    ) -> tuple[Event, ...]:
        return await self.database.read(
            lambda connection: event_queries.page(connection, run_id, after=after, limit=limit)
        )

    async def create(self, new: NewRun, *, within: Within) -> Run:
        return await self.database.write(lambda connection: new_runs.create(connection, new, within))

    async def sealed_key(self, credential: str) -> bytes | None:
        return await self.database.read(lambda connection: secret_queries.sealed(connection, credential))

    async def shard(self, shard_id: ShardId) -> Shard:
        return await self.database.read(lambda connection: shard_queries.one(connection, shard_id))

    async def shards_of(self, run_id: RunId) -> tuple[Shard, ...]:
        return await self.database.read(lambda connection: shard_queries.of_run(connection, run_id))

    async def reopen(
        self, run_id: RunId, shards: Sequence[Shard], *, at: datetime, events: Sequence[Event], within: Within
    ) -> Run:
        def work(connection: Connection) -> Run:
            run = shard_queries.reopen(connection, run_id, shards, at=at)
            within(connection)
            event_queries.add(connection, events)
            return run

        return await self.database.write(work)

    async def finish_shard(self, shard_id: ShardId, *, epoch: int) -> bool:
        return await self.database.write(lambda connection: shard_queries.finish(connection, shard_id, epoch))

    async def stored_among(
        self, evaluation_id: EvaluationId, keys: Sequence[AttemptKey], *, verdicts_only: bool = False
    ) -> set[AttemptKey]:
        return await self.database.read(
            lambda connection: attempt_queries.stored_among(
                connection, evaluation_id, keys, verdicts_only=verdicts_only
            )
        )

    async def set_summary(self, evaluation_id: EvaluationId, summary: Summary) -> None:
        await self.database.write(
            lambda connection: run_queries.set_summary(connection, evaluation_id, summary)
        )

    async def controls(self, run_ids: Sequence[RunId]) -> Mapping[RunId, RunControl]:
        return await self.database.read(lambda connection: run_queries.controls(connection, run_ids))

    async def set_control(
        self,
        run_id: RunId,
        *,
        priority: int | None = None,
        max_connections: Connections | None = None,
        budget: Budget | None = None,
    ) -> Run:
        return await self.database.write(
            lambda connection: run_queries.set_control(
                connection, run_id, priority=priority, max_connections=max_connections, budget=budget
            )
        )

    async def spent(self, run_id: RunId) -> Spent:
        return await self.database.read(lambda connection: tally_queries.spent(connection, run_id))

    async def missing(self, evaluation_id: EvaluationId) -> frozenset[AttemptKey]:
        return await self.database.read(lambda connection: tally_queries.missing(connection, evaluation_id))

    async def outcome_counts(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Mapping[Outcome, int]]:
        return await self.database.read(lambda connection: tally_queries.outcome_counts(connection, run_ids))

    async def tokens_used(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Tokens]:
        return await self.database.read(lambda connection: tally_queries.tokens_used(connection, run_ids))

    async def active_runs(self, owner: str | None) -> int:
        return await self.database.read(lambda connection: run_queries.active(connection, owner))

    async def beat(self, worker: Worker) -> None:
        await self.database.write(lambda connection: worker_queries.put(connection, worker))

    async def workers(self) -> tuple[Worker, ...]:
        return await self.database.read(worker_queries.every)

    async def remove_dead_workers(self, *, unseen_since: datetime) -> tuple[str, ...]:
        return await self.database.write(
            lambda connection: worker_queries.take_unseen(connection, unseen_since)
        )

    async def remove_worker(self, worker_id: str) -> None:
        await self.database.write(lambda connection: worker_queries.remove(connection, worker_id))

    async def close(self) -> None:
        await self.database.close()
