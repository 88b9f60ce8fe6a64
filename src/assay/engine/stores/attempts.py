"""The store of attempts."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol

from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, RunId
from assay.domain.summary import Tokens
from assay.engine.stores.latencies import Latencies

AttemptOrder = Literal["item", "score", "duration", "-score", "-duration"]
"""By key, or by a figure with `-` for the highest first; attempts without the figure come last."""


@dataclass(frozen=True, slots=True)
class Span:
    """From `least` to `most`, both included; a figure that is not known lies in no span with an end."""

    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class AttemptFilter:
    """A page of attempts; `after` is the key of the last attempt of the page before, in order of items.

    `search` is a part of the item's id, of what was extracted or expected, of the prompt, the answer or the
    error, with ASCII letters in either case. The duration is that of the answering call, else of the whole
    attempt.
    """

    outcomes: frozenset[Outcome] = frozenset()
    after: AttemptKey | None = None
    limit: int = 100
    offset: int = 0
    search: str | None = None
    sort: AttemptOrder = "item"
    # Only attempts of these items, and only these attempts; None means all.
    items: Collection[ItemId] | None = None
    keys: Collection[AttemptKey] | None = None
    without: Collection[AttemptKey] = ()
    output_tokens: Span = Span()
    duration_ms: Span = Span()
    # Of each item only the first sample that the rest of the filter leaves.
    is_one_per_item: bool = False

    def __post_init__(self) -> None:
        if self.after is not None and self.sort != "item":
            raise InvalidValueError(f"pages sorted by {self.sort!r} are found by their offset, not by a key")

    @property
    def is_whole(self) -> bool:
        """Whether its pages together are all attempts, in order of items."""
        return self == AttemptFilter(limit=self.limit, offset=self.offset)


@dataclass(frozen=True, slots=True)
class FoundAttempts:
    """A page of attempts, and how many there are on all pages together; more than that if it is not exact."""

    attempts: tuple[Attempt, ...]
    total: int
    is_total_exact: bool = True


@dataclass(frozen=True, slots=True)
class SampleCount:
    """How many attempts at an item are stored, and how many of them are right."""

    made: int
    correct: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has used so far; `usd` leaves out attempts of unknown cost.

    `unknown` counts the answered attempts whose tokens the endpoint did not report.
    """

    usd: Decimal
    tokens: int
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """Attempts of one evaluation that ended alike without a verdict, and the message of the first of them."""

    outcome: Outcome
    code: str | None
    count: int
    first_message: str | None


class AttemptStore(Protocol):
    """Each method is one transaction; iterators read page by page."""

    async def add(self, attempts: Sequence[Attempt]) -> None:
        """Store a batch; a stored verdict is never overwritten, missing data is, and its calls are kept."""
        ...

    async def keys(self, evaluation_id: EvaluationId, *, verdicts_only: bool = False) -> set[AttemptKey]: ...

    def results(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        """Every stored attempt without its texts and calls, in key order, at constant memory."""
        ...

    def verdicts(self, evaluation_id: EvaluationId) -> AsyncIterator[tuple[AttemptKey, float]]:
        """The score of every attempt that has one, in key order, at constant memory."""
        ...

    async def page(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> tuple[Attempt, ...]:
        """A page in the order asked for, texts included, calls left out."""
        ...

    async def found(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> FoundAttempts:
        """A page and the count in one step; a search in order of items counts some thousand beyond it."""
        ...

    async def samples_of(
        self, evaluation_id: EvaluationId, items: Collection[ItemId]
    ) -> Mapping[ItemId, SampleCount]: ...

    def answers(self, evaluation_id: EvaluationId) -> AsyncIterator[tuple[AttemptKey, str]]:
        """The answer of every attempt to which the model replied, in key order, at constant memory."""
        ...

    def whole(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        """Every stored attempt with its texts and calls, in key order, at constant memory."""
        ...

    async def count(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> int:
        """How many attempts there are on all pages together."""
        ...

    async def get(self, evaluation_id: EvaluationId, key: AttemptKey) -> Attempt:
        """One attempt with everything; raises UnknownNameError."""
        ...

    async def stored_among(
        self, evaluation_id: EvaluationId, keys: Sequence[AttemptKey], *, verdicts_only: bool = False
    ) -> set[AttemptKey]:
        """Those of the keys that are stored, which a shard need not execute."""
        ...

    async def answered_before(
        self, evaluation_id: EvaluationId, key: AttemptKey, *, prompt: str, item_hash: str | None
    ) -> Attempt | None:
        """The newest answer that a call of another evaluation got to the same request; calls left out.

        The other evaluation has the same owner, model, endpoint, version of the benchmark and settings.
        """
        ...

    async def scores(
        self, evaluation_id: EvaluationId, item_ids: Sequence[ItemId]
    ) -> Mapping[ItemId, Sequence[float | None]]:
        """Of each stored attempt at these items, in the order of the samples; None without a verdict."""
        ...

    async def spent(self, run_id: RunId) -> Spent: ...

    async def missing(self, evaluation_id: EvaluationId) -> frozenset[AttemptKey]:
        """Stored attempts that ended without a verdict."""
        ...

    async def outcome_counts(
        self, run_ids: Sequence[RunId]
    ) -> Mapping[EvaluationId, Mapping[Outcome, int]]: ...

    async def error_kinds(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, tuple[ErrorKind, ...]]:
        """The commonest first; evaluations without such attempts are left out."""
        ...

    async def tokens_used(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Tokens]:
        """Tokens that the model used so far; evaluations without attempts are left out."""
        ...

    async def latencies(self, run_ids: Sequence[RunId]) -> Mapping[str, Latencies]:
        """How long the answers in these runs took, by model."""
        ...

    async def item_latencies_ms(self) -> Mapping[str, float]:
        """Mean time of an answer by benchmark, over the newest evaluations of each that succeeded."""
        ...
