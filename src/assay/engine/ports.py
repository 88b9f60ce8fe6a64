"""What the engine needs from the world, as protocols; the adapters implement them."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import Benchmark, Card, Cue, ItemId, Tables
from assay.domain.errors import InvalidValueError
from assay.domain.event import Event
from assay.domain.messages import Completion, Generation, Prompt
from assay.domain.outcome import Outcome
from assay.domain.pricing import Price
from assay.domain.record import record
from assay.domain.run import Evaluation, EvaluationId, ItemFacts, Run, RunId, State
from assay.domain.secret import Secret
from assay.domain.summary import Summary


class Clock(Protocol):
    def now(self) -> datetime:
        """Wall-clock time, in UTC."""
        ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


@record
class Request:
    """One exchange asked of a model; the cue is for simulated models only."""

    prompt: Prompt
    generation: Generation
    cue: Callable[[], Cue] = Cue
    sample: int = 0


class ModelClient(Protocol):
    """One model behind one endpoint."""

    @property
    def model(self) -> str: ...

    @property
    def endpoint(self) -> str:
        """Base URL, or a name for a simulated model; the key of shared limits."""
        ...

    async def complete(self, request: Request) -> Completion:
        """Make exactly one exchange; raises CallError or EndpointError."""
        ...

    async def check(self) -> None:
        """Raise EndpointError if nothing sent to this model could succeed."""
        ...

    async def price(self) -> Price | None:
        """The provider's price as of now; None where it is unknown."""
        ...

    async def close(self) -> None: ...


class ModelDirectory(Protocol):
    """Turns a model's name into a client."""

    def open(self, model: str, *, base_url: str | None = None, api_key: Secret | None = None) -> ModelClient:
        """With a key, that one is sent in place of the provider's own, by this client alone."""
        ...


@dataclass(frozen=True, slots=True)
class BenchmarkData:
    """Rows of a benchmark, and what identifies them: `official`, `samples` or a file of the user's."""

    tables: Tables
    revision: str
    checksum: str


@runtime_checkable
class HasOwnData(Protocol):
    """A benchmark that is itself the data: there is nothing to find."""

    def own_data(self, where: str) -> BenchmarkData:
        """`where` as for DataLibrary.open; raises InvalidValueError for anything but `official`."""
        ...


Progress = Callable[[str, int, int | None], None]
"""Called with a file's name, the bytes so far and the bytes in all, where they are known."""


class DataLibrary(Protocol):
    """Finds a benchmark's data: fetched from the hub, shipped as samples, or named by the user."""

    def open(self, benchmark: Benchmark, where: str) -> BenchmarkData:
        """`where` is `official`, `samples`, or a path; never anything else than what was asked for."""
        ...

    def fetch(self, card: Card, *, progress: Progress) -> BenchmarkData: ...

    def is_fetched(self, card: Card) -> bool: ...


RunOrder = Literal["created", "-created", "score", "-score", "cost", "-cost", "duration", "-duration"]
"""By a figure, with `-` for the highest or latest first; runs without the figure come last.

The score is the best of a run's evaluations; the cost is known where that of each evaluation is.
"""


@dataclass(frozen=True, slots=True)
class RunFilter:
    """A page of runs; `model` is a part of any of its models' names, with ASCII letters in either case."""

    state: State | None = None
    model: str | None = None
    benchmark: str | None = None
    limit: int = 50
    offset: int = 0
    owner: str | None = None
    states: frozenset[State] = frozenset()
    # What the name of one of its benchmarks begins with.
    benchmark_prefix: str | None = None
    # The whole name of one of its models.
    exact_model: str | None = None
    sort: RunOrder = "-created"


AttemptOrder = Literal["item", "score", "duration", "-score", "-duration"]
"""By key, or by a figure with `-` for the highest first; attempts without the figure come last."""


@dataclass(frozen=True, slots=True)
class AttemptFilter:
    """A page of attempts; `after` is the key of the last attempt of the page before, in order of items.

    `search` is a part of the item's id, of what was extracted or expected, or of a short answer, with ASCII
    letters in either case. The duration is that of the answering call, else of the whole attempt.
    """

    outcomes: frozenset[Outcome] = frozenset()
    after: AttemptKey | None = None
    limit: int = 100
    offset: int = 0
    search: str | None = None
    sort: AttemptOrder = "item"
    # Only of these items; none given means of all.
    items: tuple[ItemId, ...] = ()

    def __post_init__(self) -> None:
        if self.after is not None and self.sort != "item":
            raise InvalidValueError(f"pages sorted by {self.sort!r} are found by their offset, not by a key")


@dataclass(frozen=True, slots=True)
class RunPage:
    """`total` counts every run the filter matches, not just this page."""

    runs: tuple[Run, ...]
    total: int


class RunStore(Protocol):
    """Everything that outlives the process. Each method is one transaction."""

    async def add_run(self, run: Run, evaluations: Sequence[Evaluation], events: Sequence[Event]) -> None: ...

    async def run(self, run_id: str) -> Run:
        """The run with this id, or the only one whose id starts so; raises UnknownNameError."""
        ...

    async def runs(self, wanted: RunFilter) -> RunPage:
        """In the order asked for: newest first where none is."""
        ...

    async def evaluations(self, run_id: RunId) -> tuple[Evaluation, ...]: ...

    async def evaluations_of(self, run_ids: Sequence[RunId]) -> Mapping[RunId, tuple[Evaluation, ...]]:
        """Those of many runs at once, with the number of items in place of their ids."""
        ...

    async def item_facts(self, evaluation_id: EvaluationId) -> tuple[ItemFacts, ...]:
        """In the order of its item ids; empty for an evaluation of before they were kept."""
        ...

    async def change_run(self, run_id: RunId, state: State, *, at: datetime, error: str | None = None) -> Run:
        """Legal transitions only; sets started_at and finished_at as the state implies.

        A run that reaches its end loses the key that its caller gave.
        """
        ...

    async def change_evaluation(
        self,
        evaluation_id: EvaluationId,
        state: State,
        *,
        at: datetime,
        error: str | None = None,
        summary: Summary | None = None,
    ) -> Evaluation: ...

    async def add_attempts(self, attempts: Sequence[Attempt]) -> None:
        """Store a batch; a stored verdict is never overwritten, missing data is, and its calls are kept."""
        ...

    async def stored_keys(
        self, evaluation_id: EvaluationId, *, verdicts_only: bool = False
    ) -> set[AttemptKey]: ...

    def results(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        """Every stored attempt without its texts and calls, in key order, at constant memory."""
        ...

    async def attempts(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> tuple[Attempt, ...]:
        """A page in the order asked for, texts included, calls left out."""
        ...

    def answers(self, evaluation_id: EvaluationId) -> AsyncIterator[tuple[AttemptKey, str]]:
        """The answer of every attempt to which the model replied, in key order, at constant memory."""
        ...

    def whole_attempts(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        """Every stored attempt with its texts and calls, in key order, at constant memory."""
        ...

    async def count_attempts(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> int:
        """How many attempts there are on all pages together."""
        ...

    async def attempt(self, evaluation_id: EvaluationId, key: AttemptKey) -> Attempt:
        """One attempt with everything; raises UnknownNameError."""
        ...

    async def add_events(self, events: Sequence[Event]) -> None: ...

    async def events(self, run_id: RunId | None, *, after: int = 0, limit: int = 500) -> tuple[Event, ...]:
        """Events with an id above `after`, oldest first; of all runs where `run_id` is None."""
        ...

    async def close(self) -> None: ...
