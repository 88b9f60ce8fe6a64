"""A run: what a user starts, the evaluations in it, and the states both go through."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from statistics import fmean
from typing import Literal, NewType, Self

from assay.domain.access.visibility import Visibility
from assay.domain.agent import OwnAgent
from assay.domain.benchmark import ItemId
from assay.domain.calls.headers import checked_headers
from assay.domain.calls.messages import Generation
from assay.domain.calls.pricing import Price
from assay.domain.composite import CompositeRule
from assay.domain.datasets.benchmark_file import BenchmarkFile
from assay.domain.errors import IllegalTransitionError, InvalidValueError
from assay.domain.fingerprint import Fingerprint
from assay.domain.judging import Judging
from assay.domain.stopping import StopRule
from assay.domain.summary import Summary

RunId = NewType("RunId", str)
EvaluationId = NewType("EvaluationId", str)


class State(StrEnum):
    """The state of a run, and of each evaluation in it."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"

    @property
    def is_final(self) -> bool:
        return self in FINAL_STATES

    @property
    def is_settled(self) -> bool:
        """Whether nothing more happens until a user asks for it."""
        return self.is_final or self is State.PAUSED

    @property
    def clause(self) -> str:
        """The state as the end of a sentence about a run."""
        return _CLAUSES.get(self, f"is {self.value}")

    def require_transition(self, target: "State") -> None:
        if target not in _TRANSITIONS[self]:
            allowed = ", ".join(sorted(_TRANSITIONS[self])) or "nothing"
            raise IllegalTransitionError(
                f"cannot go from {self.value!r} to {target.value!r}; possible: {allowed}"
            )


FINAL_STATES = frozenset({State.SUCCEEDED, State.FAILED, State.CANCELED})
UNFINISHED_STATES = frozenset(State) - FINAL_STATES

_CLAUSES = {
    State.SUCCEEDED: "has already succeeded",
    State.FAILED: "has already failed",
    State.CANCELED: "is already canceled",
}

# A paused or finished run goes back to queued only by an explicit resume, retry or requeue: a worker that
# read the run as queued before it was stopped must not start it again.
_TRANSITIONS: Mapping[State, frozenset[State]] = {
    State.QUEUED: frozenset({State.RUNNING, State.PAUSED, State.CANCELED, State.FAILED}),
    State.RUNNING: frozenset({State.QUEUED, State.PAUSED, State.SUCCEEDED, State.FAILED, State.CANCELED}),
    State.PAUSED: frozenset({State.QUEUED, State.CANCELED}),
    State.SUCCEEDED: frozenset({State.QUEUED}),
    State.FAILED: frozenset({State.QUEUED}),
    State.CANCELED: frozenset({State.QUEUED}),
}

DEFAULT_SEED = "assay"
MAX_SAMPLES = 1_000
MAX_WARMUP = 100
_WHOLE_PERCENT = 100
MAX_SEED_LENGTH = 128
MAX_NAME_LENGTH = 200
MAX_NOTE_LENGTH = 4_000
MAX_TAGS = 50
MAX_EXAMPLES = 100
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
_TAG = re.compile(r"[\w.:/-]{1,64}")
_SESSION_PREFIX = "session:"
# Provider in the names of models that are functions of a user's own program.
LOCAL_CODE = "local"
# Begins the error of an evaluation that failed because something has to be provided first.
NEEDS_SETUP = "needs setup: "

AuthMode = Literal["system", "idp", "api_key"]
"""Whose key the models are called with: the server's, that of the signed-in user, or the caller's."""


def session_credential(session_id: str) -> str:
    return f"{_SESSION_PREFIX}{session_id}"


@dataclass(frozen=True, slots=True)
class Subset:
    """Which part of the items to ask; the seed is fixed by default, so that two runs ask the same items."""

    percent: int = 100
    count: int | None = None
    seed: str = DEFAULT_SEED

    @property
    def is_whole(self) -> bool:
        return self.count is None and self.percent == _WHOLE_PERCENT

    def __post_init__(self) -> None:
        if not 1 <= self.percent <= _WHOLE_PERCENT:
            raise InvalidValueError(f"subset must be 1 to 100 percent, not {self.percent}")
        if self.count is not None and self.count < 1:
            raise InvalidValueError(f"subset count must be at least 1, not {self.count}")
        if len(self.seed) > MAX_SEED_LENGTH:
            raise InvalidValueError(
                f"seed must have at most {MAX_SEED_LENGTH} characters, not {len(self.seed)}"
            )


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may use before it pauses."""

    usd: Decimal | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        if self.usd is not None and self.usd <= 0:
            raise InvalidValueError(f"budget must be more than 0 USD, not {self.usd}")
        if self.tokens is not None and self.tokens < 1:
            raise InvalidValueError(f"budget must be at least 1 token, not {self.tokens}")


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """Where one model is called, the variable that holds its key, and its price where no list has it."""

    base_url: str | None = None
    key_variable: str | None = None
    price: Price | None = None

    def __post_init__(self) -> None:
        if self.key_variable is not None and not _VARIABLE.fullmatch(self.key_variable):
            raise InvalidValueError(
                "the key of a model is given by the name of an environment variable, such as MY_API_KEY"
            )


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What was asked for, frozen with the run."""

    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    subset: Subset = Subset()
    samples: int = 1
    generation: Generation = Generation()
    data: str = "official"
    max_connections: int | None = None
    budget: Budget = Budget()
    base_url: str | None = None
    judge: Judging | None = None
    # The model that plays the user, where a benchmark has one.
    user_model: Judging | None = None
    # The user's own agent, in place of those of benchmarks with containers.
    agent: OwnAgent | None = None
    # The price of models whose endpoints list none.
    price: Price | None = None
    priority: int = 0
    # Refers to the key that the caller gave for model calls; None if the server's own keys are used.
    credential: str | None = None
    # The order in which the items are asked: that of the seeded draw, or of the data in older stored runs.
    # Together: all samples of an item one after the other, instead of all items once for each sample.
    item_order: Literal["data", "draw", "draw_together"] = "data"
    # The caller's own metadata, returned with the run; nothing depends on it.
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    # The only items to ask; all of them, or a subset, if empty.
    items: tuple[ItemId, ...] = ()
    # How the composite of the run is computed; no score of an item depends on it.
    composite: CompositeRule = CompositeRule()
    # Requests made to each model before the first item; their replies are not scored.
    warmup: int = 0
    # Takes the answers of earlier runs to the same requests instead of asking again.
    reuse: bool = False
    # Sent with every request to the models; hidden wherever a run is shown.
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    # How many solved examples are shown, where a benchmark has them; None means its own number.
    few_shot: int | None = None
    # What differs for single models from what the run says for all.
    endpoints: Mapping[str, ModelEndpoint] = field(default_factory=dict[str, ModelEndpoint])
    # Ends evaluations once what is asked of them is certain; all of their items are asked if None.
    stop: StopRule | None = None
    # The stored run whose answers stand for those of its model, the first of this run, instead of asking it.
    baseline: RunId | None = None

    # The files of those benchmarks that users wrote in one, by their names.
    files: Mapping[str, BenchmarkFile] = field(default_factory=dict[str, BenchmarkFile])

    def endpoint_of(self, model: str) -> ModelEndpoint:
        """What holds for this model."""
        own = self.endpoints.get(model, ModelEndpoint())
        return ModelEndpoint(own.base_url or self.base_url, own.key_variable, own.price or self.price)

    def is_baseline(self, model: str) -> bool:
        return self.baseline is not None and model == self.models[0]

    @property
    def samples_together(self) -> int:
        return self.samples if self.item_order == "draw_together" else 1

    @property
    def session_id(self) -> str | None:
        """The login whose user's token the models are called with."""
        if self.credential is None or not self.credential.startswith(_SESSION_PREFIX):
            return None
        return self.credential.removeprefix(_SESSION_PREFIX)

    @property
    def auth_mode(self) -> AuthMode:
        if self.credential is None:
            return "system"
        return "api_key" if self.session_id is None else "idp"

    def __post_init__(self) -> None:
        if not self.models or not self.benchmarks:
            raise InvalidValueError("a run needs at least one model and one benchmark")
        if not 1 <= self.samples <= MAX_SAMPLES:
            raise InvalidValueError(f"samples must be 1 to {MAX_SAMPLES}, not {self.samples}")
        if not 0 <= self.warmup <= MAX_WARMUP:
            raise InvalidValueError(f"warm-up requests must be 0 to {MAX_WARMUP}, not {self.warmup}")
        if self.max_connections is not None and self.max_connections < 1:
            raise InvalidValueError(f"max_connections must be at least 1, not {self.max_connections}")
        if self.few_shot is not None and not 0 <= self.few_shot <= MAX_EXAMPLES:
            raise InvalidValueError(f"few-shot examples must be 0 to {MAX_EXAMPLES}, not {self.few_shot}")
        checked_headers(self.headers)
        self._require_fitting_parts()

    def _require_fitting_parts(self) -> None:
        """Raise InvalidValueError where one setting leaves no room for another."""
        if stray := self.endpoints.keys() - set(self.models):
            raise InvalidValueError(f"an endpoint is given for {min(stray)!r}, which is no model of the run")
        if self.items and not self.subset.is_whole:
            raise InvalidValueError("a run asks named items or a subset of all, not both: give one of them")
        if self.stop is not None:
            self.stop.require_models(len(self.models))


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What is recorded about an item when it is asked: enough to check a score without the item."""

    item_hash: str
    prompt_sha256: str
    category: str | None = None
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One model on one benchmark inside a run, with all that its score depends on."""

    id: EvaluationId
    run_id: RunId
    model: str
    benchmark: str
    benchmark_version: str
    fingerprint: Fingerprint
    item_ids: tuple[ItemId, ...]
    benchmark_size: int
    generation: Generation
    samples: int
    state: State = State.QUEUED
    price: Price | None = None
    summary: Summary | None = None
    error: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    # Set if the ids themselves are not loaded.
    item_count: int | None = None
    # Where the model answered, without credentials.
    endpoint: str | None = None
    # One for each of `item_ids`, set when the evaluation is stored; `RunStore.item_facts` reads them back.
    facts: tuple[ItemFacts, ...] = ()

    @property
    def needs_setup(self) -> bool:
        return self.state is State.FAILED and (self.error or "").startswith(NEEDS_SETUP)

    @property
    def is_local_code(self) -> bool:
        """Whether a function of a user's program answered, in place of an endpoint."""
        return self.model.startswith(f"{LOCAL_CODE}/")

    @property
    def asked_items(self) -> int:
        return len(self.item_ids) if self.item_count is None else self.item_count

    @property
    def total_attempts(self) -> int:
        return self.asked_items * self.samples


@dataclass(frozen=True, slots=True)
class Description:
    """What users say about a run so that they find it again, and who sees it; no score depends on it."""

    name: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    # Left out of lists, unless they ask for archived runs.
    is_archived: bool = False
    visibility: Visibility = Visibility.TEAM

    @classmethod
    def of(
        cls,
        name: str,
        note: str,
        tags: Iterable[str],
        *,
        is_archived: bool = False,
        visibility: Visibility = Visibility.TEAM,
    ) -> Self:
        """With each tag once, in order."""
        return cls(name, note, tuple(sorted(set(tags))), is_archived, visibility)

    def __post_init__(self) -> None:
        if len(self.name) > MAX_NAME_LENGTH:
            raise InvalidValueError(
                f"name must have at most {MAX_NAME_LENGTH} characters, not {len(self.name)}"
            )
        if len(self.note) > MAX_NOTE_LENGTH:
            raise InvalidValueError(
                f"note must have at most {MAX_NOTE_LENGTH:,} characters, not {len(self.note):,}"
            )
        if len(self.tags) > MAX_TAGS:
            raise InvalidValueError(f"a run has at most {MAX_TAGS} tags, not {len(self.tags)}")
        for tag in self.tags:
            if not _TAG.fullmatch(tag):
                raise InvalidValueError(
                    f"a tag is 1 to 64 letters, digits or any of . _ : / - without spaces, not {tag!r}"
                )


@dataclass(frozen=True, slots=True)
class Run:
    id: RunId
    spec: RunSpec
    created_at: datetime
    state: State = State.QUEUED
    started_at: datetime | None = None
    finished_at: datetime | None = None
    error: str | None = None
    code_version: str = ""
    git_sha: str | None = None
    owner: str | None = None
    # What executes the run: versions of Python and the system, as of its creation.
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    description: Description = Description()
    # Since when its attempts are kept in files instead of the database.
    offloaded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OverallScore:
    """`value` is the mean score of the `counted` evaluations, out of all of the run.

    It is None for a run that has not ended or was canceled, and for one with several models.
    """

    value: float | None
    counted: int
    evaluations: int


def overall_score(
    state: State, models: int, evaluations: Sequence[tuple[State, float | None]]
) -> OverallScore:
    """`models` is the number of models; `evaluations` has the state and score of each evaluation."""
    scores = [score for own, score in evaluations if own is State.SUCCEEDED and score is not None]
    has_mean = state in {State.SUCCEEDED, State.FAILED} and models == 1 and scores
    return OverallScore(fmean(scores) if has_mean else None, len(scores), len(evaluations))
