"""The store of runs and their evaluations."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, Self

from assay.domain.access.visibility import Viewer
from assay.domain.event import Event
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, Description, Evaluation, EvaluationId, ItemFacts, Run, RunId, State
from assay.domain.shard import Shard
from assay.domain.summary import Summary

_SUMMARISED = frozenset({State.SUCCEEDED, State.FAILED})

Within = Callable[[object], None]
"""Called with the store's open transaction, so that what it does is kept or lost together with the rest."""

Connections = int | Literal["default"]
"""How many calls a run makes at once; `default` means as many as a run that names no number."""

RunOrder = Literal["created", "-created", "score", "-score", "cost", "-cost", "duration", "-duration"]
"""By a figure, with `-` for the highest or latest first; runs without the figure come last.

The score is the best of a run's evaluations; the cost is known where that of each evaluation is.
"""


@dataclass(frozen=True, slots=True)
class RunFilter:
    """A page of runs.

    `model` is a part of the name of one of its models, `name` a part of the run's name, `tag` a whole tag.
    Each word of `search` is the beginning of the run's id, or a part of its name, of a tag, or of the name of
    one of its models or benchmarks. ASCII letters match in either case.
    """

    state: State | None = None
    model: str | None = None
    benchmark: str | None = None
    limit: int = 50
    offset: int = 0
    owner: str | None = None
    states: frozenset[State] = frozenset()
    # The name of one of its benchmarks starts with this.
    benchmark_prefix: str | None = None
    # The whole name of one of its models.
    exact_model: str | None = None
    created_before: datetime | None = None
    name: str | None = None
    tag: str | None = None
    search: str | None = None
    sort: RunOrder = "-created"
    # None for archived runs and others.
    is_archived: bool | None = None


@dataclass(frozen=True, slots=True)
class RunPage:
    """`total` counts every run the filter matches, not just this page."""

    runs: tuple[Run, ...]
    total: int


@dataclass(frozen=True, slots=True)
class NewRun:
    """Everything that is stored with a new run; `idempotency_key` is the caller's name for the request."""

    run: Run
    evaluations: tuple[Evaluation, ...]
    shards: tuple[Shard, ...]
    events: tuple[Event, ...]
    idempotency_key: str | None = None
    request_hash: str | None = None
    # The key that `run.spec.credential` names.
    sealed_key: bytes | None = field(default=None, repr=False)
    # How many runs of its owner may be active, this one included; None means no limit.
    most_active: int | None = None


@dataclass(frozen=True, slots=True)
class RunControl:
    """What may change while a run is executed."""

    state: State
    max_connections: int | None
    priority: int


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with its evaluations, and the number of attempts of each by outcome.

    The last two are not stored: `engine/fleet/liveness.py` finds out whether the process that executed the
    run is gone, and when a run that is paused or interrupted was last at work.
    """

    run: Run
    evaluations: tuple[Evaluation, ...]
    outcomes: Mapping[EvaluationId, Mapping[Outcome, int]]
    is_interrupted: bool = False
    stopped_at: datetime | None = None

    def completed(self, evaluation: Evaluation) -> int:
        return sum(self.outcomes[evaluation.id].values())


@dataclass(frozen=True, slots=True)
class StoredPage:
    """`total` counts every run the filter matches, not just this page."""

    runs: tuple[StoredRun, ...]
    total: int


class RunStore(Protocol):
    """Each method is one transaction.

    Methods that read runs or evaluations give those that `seen_by` leaves; without it, all. For everything
    else a caller has to have found the run.
    """

    def seen_by(self, viewer: Viewer | None) -> Self:
        """The same store for a viewer, for whom other runs do not exist; None sees all."""
        ...

    async def seen(self, run_ids: Collection[RunId]) -> frozenset[RunId]:
        """Those of the runs that are seen."""
        ...

    async def create(self, new: NewRun, *, within: Within) -> Run:
        """Store the run; the same idempotency key and request give the run that is stored already.

        Raises ConflictError where the key was used for another request, and LimitReachedError where its owner
        has as many active runs as are allowed.
        """
        ...

    async def add(self, run: Run, evaluations: Sequence[Evaluation], events: Sequence[Event]) -> None: ...

    async def get(self, run_id: str) -> Run:
        """The run with this id, or the only one whose id starts with it; raises UnknownNameError."""
        ...

    async def page(self, wanted: RunFilter) -> RunPage:
        """In the order of `wanted.sort`."""
        ...

    async def evaluations(self, run_id: RunId) -> tuple[Evaluation, ...]: ...

    async def evaluations_of(self, run_ids: Sequence[RunId]) -> Mapping[RunId, tuple[Evaluation, ...]]:
        """Those of many runs at once, with the number of items in place of their ids."""
        ...

    async def item_facts(self, evaluation_id: EvaluationId) -> tuple[ItemFacts, ...]:
        """In the order of its item ids; empty for an evaluation that was stored before there were facts."""
        ...

    async def set_state(self, run_id: RunId, state: State, *, at: datetime, error: str | None = None) -> Run:
        """Legal transitions only; sets started_at and finished_at as the state implies.

        A run that reaches its end loses the key that its caller gave.
        """
        ...

    async def set_evaluation_state(
        self,
        evaluation_id: EvaluationId,
        state: State,
        *,
        at: datetime,
        error: str | None = None,
        summary: Summary | None = None,
    ) -> Evaluation: ...

    async def set_summary(self, evaluation_id: EvaluationId, summary: Summary) -> None:
        """Store an interim summary; the state stays."""
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
        """Change the given values, in the stored specification too; None leaves a value as it is."""
        ...

    async def describe(self, run_id: RunId, description: Description) -> Run:
        """Store the description in place of the one before."""
        ...

    async def count_active(self, owner: str | None) -> int:
        """Runs of this owner that are queued, running or paused."""
        ...

    async def page_with_outcomes(self, wanted: RunFilter) -> StoredPage:
        """In the order of `wanted.sort`; evaluations with the number of items in place of their ids."""
        ...

    async def get_with_outcomes(self, run_id: str) -> StoredRun:
        """The run with this id, or the only one whose id starts with it; raises UnknownNameError."""
        ...

    async def delete(self, run_id: RunId) -> None:
        """Delete a run and what is stored for it; raises ConflictError unless it has ended or is paused."""
        ...

    async def delete_unused_texts(self) -> None:
        """Delete the texts that no run refers to any more; it reads the keys of all attempts."""
        ...

    async def count_by_state(self) -> Mapping[State, int]:
        """How many runs there are in each state."""
        ...


def uncounted(evaluations: Mapping[RunId, Sequence[Evaluation]]) -> list[RunId]:
    """The runs with attempts that no summary counts."""
    return [run_id for run_id, own in evaluations.items() if not all(map(_is_counted, own))]


def stored_run(
    run: Run, evaluations: tuple[Evaluation, ...], counts: Mapping[EvaluationId, Mapping[Outcome, int]]
) -> StoredRun:
    """The run with the outcomes of its summaries, and with `counts` where it is `uncounted`."""
    return StoredRun(run, evaluations, {one.id: _outcomes(one, counts) for one in evaluations})


def _outcomes(
    evaluation: Evaluation, counts: Mapping[EvaluationId, Mapping[Outcome, int]]
) -> Mapping[Outcome, int]:
    if _is_counted(evaluation) and evaluation.summary is not None:
        return evaluation.summary.outcomes
    return counts.get(evaluation.id, {})


def _is_counted(evaluation: Evaluation) -> bool:
    """Whether its attempts need not be counted: it has none yet, or all that it will have are summarised."""
    is_summarised = evaluation.state in _SUMMARISED and evaluation.summary is not None
    return evaluation.started_at is None or is_summarised
