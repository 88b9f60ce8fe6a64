"""The store in plain Python, for tests and for trying things out."""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from assay.adapters.store.matching import is_wanted_run, runs_in_order
from assay.adapters.store.memory_attempts import MemoryAttempts
from assay.adapters.store.memory_datasets import MemoryDatasets
from assay.adapters.store.memory_fleet_history import MemoryFleetHistory
from assay.adapters.store.memory_identity import MemoryIdentity
from assay.adapters.store.memory_quotas import MemoryQuotas
from assay.adapters.store.memory_registry import MemoryRegistry
from assay.adapters.store.memory_reviews import MemoryReviews
from assay.adapters.store.rules import (
    changed_evaluation,
    changed_run,
    control_of,
    controlled_run,
    merged,
    must_be_same_request,
    must_be_within_limit,
    only_run_id,
)
from assay.adapters.store.topics import Topics
from assay.adapters.store.worker_memory import MemoryWorkers
from assay.domain.attempt import Attempt
from assay.domain.errors import ConflictError, StoreError, UnknownNameError
from assay.domain.event import Event
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, Evaluation, EvaluationId, ItemFacts, Run, RunId, State
from assay.domain.shard import Shard, ShardId, ShardState
from assay.domain.summary import Summary, Tokens
from assay.domain.timing import StreamTiming
from assay.engine.stores.attempts import Spent
from assay.engine.stores.latencies import Latencies, counted
from assay.engine.stores.runs import (
    Connections,
    NewRun,
    RunControl,
    RunFilter,
    RunPage,
    StoredPage,
    StoredRun,
    Within,
    stored_run,
    uncounted,
)


class MemoryStore(
    MemoryAttempts,
    MemoryWorkers,
    MemoryReviews,
    MemoryDatasets,
    MemoryRegistry,
    MemoryQuotas,
    MemoryIdentity,
    MemoryFleetHistory,
    Topics,
):
    """No method awaits anything, so each is one transaction."""

    def __init__(self) -> None:
        MemoryAttempts.__init__(self)
        MemoryWorkers.__init__(self)
        MemoryDatasets.__init__(self)
        MemoryReviews.__init__(self)
        MemoryRegistry.__init__(self)
        MemoryIdentity.__init__(self)
        MemoryFleetHistory.__init__(self)
        MemoryQuotas.__init__(self)
        self._runs: dict[RunId, Run] = {}
        self._evaluations: dict[EvaluationId, Evaluation] = {}
        self._facts: dict[EvaluationId, tuple[ItemFacts, ...]] = {}
        self._events: list[Event] = []
        self._shards: dict[ShardId, Shard] = {}
        self._keys: dict[tuple[str, str], NewRun] = {}
        self._sealed_keys: dict[str | None, bytes] = {}

    async def add_run(self, run: Run, evaluations: Sequence[Evaluation], events: Sequence[Event]) -> None:
        ids = [evaluation.id for evaluation in evaluations]
        if run.id in self._runs or len(set(ids)) < len(ids) or not self._evaluations.keys().isdisjoint(ids):
            raise ConflictError(f"run {run.id!r} or one of its evaluations is stored already")
        known = {*self._runs, run.id}
        if any(thing.run_id not in known for thing in (*evaluations, *events)):
            raise StoreError(
                f"an evaluation or event given with run {run.id!r} belongs to a run that is not stored"
            )
        self._runs[run.id] = run
        self._evaluations |= {evaluation.id: replace(evaluation, facts=()) for evaluation in evaluations}
        self._facts |= {evaluation.id: evaluation.facts for evaluation in evaluations}
        self._attempts |= {evaluation_id: {} for evaluation_id in ids}
        await self.add_events(events)

    async def run(self, run_id: str) -> Run:
        return self._runs[
            RunId(only_run_id(run_id, (known for known in self._runs if known.startswith(run_id))))
        ]

    async def list_runs(self, wanted: RunFilter) -> RunPage:
        found = [run for run in self._runs.values() if is_wanted_run(run, self._own(run.id), wanted)]
        found = runs_in_order(found, self._own, wanted.sort)
        return RunPage(tuple(found[wanted.offset : wanted.offset + wanted.limit]), len(found))

    async def evaluations(self, run_id: RunId) -> tuple[Evaluation, ...]:
        return self._own(run_id)

    async def evaluations_of(self, run_ids: Sequence[RunId]) -> Mapping[RunId, tuple[Evaluation, ...]]:
        return {
            run_id: tuple(
                replace(one, item_ids=(), item_count=len(one.item_ids)) for one in self._own(run_id)
            )
            for run_id in run_ids
        }

    async def stored_page(self, wanted: RunFilter) -> StoredPage:
        page = await self.list_runs(wanted)
        return StoredPage(tuple([await self.stored_run(run.id) for run in page.runs]), page.total)

    async def stored_run(self, run_id: str) -> StoredRun:
        run = await self.run(run_id)
        evaluations = await self.evaluations_of([run.id])
        return stored_run(run, evaluations[run.id], await self.outcome_counts(uncounted(evaluations)))

    async def state_counts(self) -> Mapping[State, int]:
        found = Counter(run.state for run in self._runs.values())
        return {state: found[state] for state in State}

    async def latencies(self, run_ids: Sequence[RunId]) -> Mapping[str, Latencies]:
        found: dict[str, list[StreamTiming]] = {}
        for evaluation in (one for run_id in run_ids for one in self._own(run_id)):
            timings = [one.timing for one in self._made(evaluation.id) if one.timing is not None]
            found.setdefault(evaluation.model, []).extend(timings)
        return {model: counted(timings) for model, timings in found.items() if timings}

    async def open_shards(self, run_ids: Sequence[RunId]) -> tuple[Shard, ...]:
        found = (shard for shard in self._shards.values() if shard.run_id in run_ids)
        return tuple(shard for shard in found if shard.state is ShardState.OPEN)

    async def item_facts(self, evaluation_id: EvaluationId) -> tuple[ItemFacts, ...]:
        return self._facts.get(evaluation_id, ())

    def _own(self, run_id: RunId) -> tuple[Evaluation, ...]:
        return tuple(evaluation for evaluation in self._evaluations.values() if evaluation.run_id == run_id)

    async def change_run(self, run_id: RunId, state: State, *, at: datetime, error: str | None = None) -> Run:
        run = self._runs[run_id] = changed_run(self._known(run_id), state, at=at, error=error)
        if state.is_final:
            self._sealed_keys.pop(run.spec.credential, None)
        return run

    async def sealed_key(self, credential: str) -> bytes | None:
        return self._sealed_keys.get(credential)

    def _known(self, run_id: RunId) -> Run:
        if run_id not in self._runs:
            raise UnknownNameError("run", run_id)
        return self._runs[run_id]

    async def change_evaluation(
        self,
        evaluation_id: EvaluationId,
        state: State,
        *,
        at: datetime,
        error: str | None = None,
        summary: Summary | None = None,
    ) -> Evaluation:
        if evaluation_id not in self._evaluations:
            raise UnknownNameError("evaluation", evaluation_id)
        stored = self._evaluations[evaluation_id]
        changed = changed_evaluation(stored, state, at=at, error=error, summary=summary)
        self._evaluations[evaluation_id] = changed
        return changed

    async def add_attempts(self, attempts: Sequence[Attempt]) -> None:
        if missing := sorted({attempt.evaluation_id for attempt in attempts} - self._evaluations.keys()):
            raise StoreError(f"no evaluation {missing[0]!r} to store attempts of; add its run first")
        for attempt in attempts:
            stored = self._attempts[attempt.evaluation_id]
            stored[attempt.key] = merged(stored.get(attempt.key), attempt)

    async def add_events(self, events: Sequence[Event]) -> None:
        if missing := sorted({event.run_id for event in events} - self._runs.keys()):
            raise StoreError(f"no run {missing[0]!r} to store events of; add it first")
        self._events += [
            replace(event, id=number) for number, event in enumerate(events, len(self._events) + 1)
        ]

    async def list_events(
        self, run_id: RunId | None, *, after: int = 0, limit: int = 500
    ) -> tuple[Event, ...]:
        found = [event for event in self._events[max(after, 0) :] if run_id in (None, event.run_id)]
        return tuple(found[:limit])

    async def create(self, new: NewRun, *, within: Within) -> Run:
        key = None if new.idempotency_key is None else (new.run.owner or "", new.idempotency_key)
        if key in self._keys:
            must_be_same_request(new, self._keys[key].request_hash)
            return self._runs[self._keys[key].run.id]
        must_be_within_limit(new, await self.active_runs(new.run.owner))
        with self._undone_on_error():
            await self.add_run(new.run, new.evaluations, new.events)
            if new.sealed_key is not None:
                self._sealed_keys[new.run.spec.credential] = new.sealed_key
            if not self._shards.keys().isdisjoint(shard.id for shard in new.shards):
                raise ConflictError(f"a shard of run {new.run.id!r} is stored already")
            self._put_shards(new.shards)
            if key is not None:
                self._keys[key] = new
            within(None)
        return new.run

    @contextmanager
    def _undone_on_error(self) -> Generator[None]:
        before = {name: copy(table) for name, table in vars(self).items()}
        try:
            yield
        except BaseException:
            vars(self).update(before)
            raise

    def _put_shards(self, shards: Sequence[Shard]) -> None:
        if missing := sorted({shard.evaluation_id for shard in shards} - self._evaluations.keys()):
            raise StoreError(f"no evaluation {missing[0]!r} to store shards of; add its run first")
        self._shards |= {shard.id: shard for shard in shards}

    async def shard(self, shard_id: ShardId) -> Shard:
        if shard_id not in self._shards:
            raise UnknownNameError("shard", shard_id)
        return self._shards[shard_id]

    async def shards_of(self, run_id: RunId) -> tuple[Shard, ...]:
        places = {evaluation.id: place for place, evaluation in enumerate(self._own(run_id))}
        found = (shard for shard in self._shards.values() if shard.run_id == run_id)
        return tuple(sorted(found, key=lambda shard: (places[shard.evaluation_id], shard.start)))

    async def reopen(
        self, run_id: RunId, shards: Sequence[Shard], *, at: datetime, events: Sequence[Event], within: Within
    ) -> Run:
        with self._undone_on_error():
            if self._known(run_id).state.is_settled:
                await self.change_run(run_id, State.QUEUED, at=at)
            self._put_shards(shards)
            for evaluation_id in {shard.evaluation_id for shard in shards}:
                if self._evaluations[evaluation_id].state.is_settled:
                    await self.change_evaluation(evaluation_id, State.QUEUED, at=at)
            await self.add_events(events)
            within(None)
        return self._runs[run_id]

    async def finish_shard(self, shard_id: ShardId, *, epoch: int) -> bool:
        found = await self.shard(shard_id)
        if found.epoch == epoch:
            self._shards[shard_id] = replace(found, state=ShardState.DONE)
        return not any(
            shard.evaluation_id == found.evaluation_id and shard.state is ShardState.OPEN
            for shard in self._shards.values()
        )

    async def set_summary(self, evaluation_id: EvaluationId, summary: Summary) -> None:
        if evaluation_id not in self._evaluations:
            raise UnknownNameError("evaluation", evaluation_id)
        self._evaluations[evaluation_id] = replace(self._evaluations[evaluation_id], summary=summary)

    async def controls(self, run_ids: Sequence[RunId]) -> Mapping[RunId, RunControl]:
        return {run_id: control_of(self._runs[run_id]) for run_id in run_ids if run_id in self._runs}

    async def set_control(
        self,
        run_id: RunId,
        *,
        priority: int | None = None,
        max_connections: Connections | None = None,
        budget: Budget | None = None,
    ) -> Run:
        run = controlled_run(
            self._known(run_id), priority=priority, max_connections=max_connections, budget=budget
        )
        self._runs[run_id] = run
        return run

    async def spent(self, run_id: RunId) -> Spent:
        made = [attempt for evaluation in self._own(run_id) for attempt in self._made(evaluation.id)]
        costs = (cost for one in made for cost in (one.cost_usd, one.judge_cost_usd) if cost is not None)
        tokens = ((one.usage.input_tokens or 0) + (one.usage.output_tokens or 0) for one in made)
        return Spent(sum(costs, Decimal(0)), sum(tokens))

    async def outcome_counts(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Mapping[Outcome, int]]:
        return {
            evaluation.id: dict(Counter(attempt.outcome for attempt in made))
            for run_id in run_ids
            for evaluation in self._own(run_id)
            if (made := self._made(evaluation.id))
        }

    async def tokens_used(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Tokens]:
        return {
            evaluation.id: Tokens(
                input=sum(attempt.usage.input_tokens or 0 for attempt in made),
                output=sum(attempt.usage.output_tokens or 0 for attempt in made),
            )
            for run_id in run_ids
            for evaluation in self._own(run_id)
            if (made := self._made(evaluation.id))
        }

    async def active_runs(self, owner: str | None) -> int:
        return sum(run.owner == owner and not run.state.is_final for run in self._runs.values())

    async def close(self) -> None:
        """Nothing is held open."""
