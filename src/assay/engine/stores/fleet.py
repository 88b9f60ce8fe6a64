"""What the workers of an installation share, as a port beside the run store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal, Protocol

from assay.domain.attempt import AttemptKey
from assay.domain.event import Event
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, Evaluation, EvaluationId, Run, RunId, State
from assay.domain.shard import Shard, ShardId
from assay.domain.summary import Summary, Tokens
from assay.engine.fleet.history import FleetHistory
from assay.engine.identity.vault import SecretStore
from assay.engine.models.quota import QuotaStore
from assay.engine.models.registry import ModelRegistry
from assay.engine.ports import RunStore
from assay.engine.stores.datasets import DatasetStore
from assay.engine.stores.identity import IdentityStore
from assay.engine.stores.latencies import LatencyCounts
from assay.engine.stores.reviews import ReviewStore
from assay.engine.stores.stored_run import StoredRuns

Within = Callable[[object], None]
"""Called with the store's open transaction, so that what it does is kept or lost together with the rest."""


Connections = int | Literal["default"]
"""Calls at once of a run, or as many as a run has that asks for no number."""


@dataclass(frozen=True, slots=True)
class NewRun:
    """Everything that comes into being with a run; `idempotency_key` is the caller's name for the request."""

    run: Run
    evaluations: tuple[Evaluation, ...]
    shards: tuple[Shard, ...]
    events: tuple[Event, ...]
    idempotency_key: str | None = None
    request_hash: str | None = None
    # What `run.spec.credential` names.
    sealed_key: bytes | None = field(default=None, repr=False)
    # How many runs of its owner may be under way, this one included; None is no limit.
    most_active: int | None = None


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that executes shards; `endpoints` counts its calls in flight to each."""

    id: str
    host: str
    started_at: datetime
    last_seen: datetime
    slots: int
    running: tuple[ShardId, ...] = ()
    endpoints: Mapping[str, int] = field(default_factory=dict[str, int])
    version: str = ""
    is_draining: bool = False
    # What it keeps to; none given means all.
    only_models: tuple[str, ...] = ()
    only_owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunControl:
    """What may change while a run is executed."""

    state: State
    max_connections: int | None
    priority: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has used so far; `usd` leaves out attempts of unknown cost."""

    usd: Decimal
    tokens: int


class FleetStore(
    RunStore,
    StoredRuns,
    LatencyCounts,
    ReviewStore,
    DatasetStore,
    SecretStore,
    ModelRegistry,
    QuotaStore,
    IdentityStore,
    FleetHistory,
    Protocol,
):
    """Each method is one transaction."""

    async def create(self, new: NewRun, *, within: Within) -> Run:
        """Store the run; the same idempotency key and request give the run that is stored already.

        Raises ConflictError where the key was used for another request, and LimitReachedError where its owner
        has as many runs under way as may be.
        """
        ...

    async def shard(self, shard_id: ShardId) -> Shard: ...

    async def shards(self, run_id: RunId) -> tuple[Shard, ...]:
        """In order of evaluation and start."""
        ...

    async def reopen(
        self, run_id: RunId, shards: Sequence[Shard], *, at: datetime, events: Sequence[Event], within: Within
    ) -> Run:
        """Put the run and the evaluations of these shards back into the queue, and store the shards as given.

        States that are queued or running already stay as they are.
        """
        ...

    async def finish_shard(self, shard_id: ShardId, *, epoch: int) -> bool:
        """Mark it done, unless it was handed out anew; whether its evaluation has no open shard left.

        Of concurrent callers the last is told so, and whoever calls again.
        """
        ...

    async def stored_among(
        self, evaluation_id: EvaluationId, keys: Sequence[AttemptKey], *, verdicts_only: bool = False
    ) -> set[AttemptKey]:
        """Those of the keys that are stored: what a shard need not do."""
        ...

    async def controls(self, run_ids: Sequence[RunId]) -> Mapping[RunId, RunControl]: ...

    async def set_control(
        self,
        run_id: RunId,
        *,
        priority: int | None = None,
        max_connections: Connections | None = None,
        budget: Budget | None = None,
    ) -> Run:
        """Change what is given of what may change during a run, in the stored specification too."""
        ...

    async def set_summary(self, evaluation_id: EvaluationId, summary: Summary) -> None:
        """Store what an evaluation amounts to so far, without a change of its state."""
        ...

    async def spent(self, run_id: RunId) -> Spent: ...

    async def missing(self, evaluation_id: EvaluationId) -> frozenset[AttemptKey]:
        """Stored attempts that ended without a verdict."""
        ...

    async def outcome_counts(
        self, run_ids: Sequence[RunId]
    ) -> Mapping[EvaluationId, Mapping[Outcome, int]]: ...

    async def tokens_used(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Tokens]:
        """By the model, so far; those of evaluations without any attempt are left out."""
        ...

    async def active_runs(self, owner: str | None) -> int:
        """Runs of this owner that are queued, running or paused."""
        ...

    async def beat(self, worker: Worker) -> None:
        """Store or refresh a worker's row."""
        ...

    async def workers(self) -> tuple[Worker, ...]:
        """Those that have not been buried."""
        ...

    async def bury(self, *, unseen_since: datetime) -> tuple[str, ...]:
        """Take the rows of workers that were last seen before then; each is given to one caller only."""
        ...

    async def leave(self, worker_id: str) -> None:
        """Take one's own row away when stopping."""
        ...
