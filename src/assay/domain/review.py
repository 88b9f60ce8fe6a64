"""What is added to attempts after they ended: annotations by people, and regrades."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NewType

from assay.domain.attempt import AttemptKey, Call
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId
from assay.domain.summary import Summary

RegradeId = NewType("RegradeId", str)
MAX_NOTE_CHARACTERS = 100_000
MAX_AUTHOR_CHARACTERS = 200


class Label(StrEnum):
    """A person's verdict on an answer; only a golden answer is right as it is."""

    GOLDEN = "golden"
    FIX = "fix"
    WRONG = "wrong"

    @property
    def is_right(self) -> bool:
        return self is Label.GOLDEN


@dataclass(frozen=True, slots=True)
class Annotation:
    """A person's label on one attempt; the note says why, and for a `fix` what the answer should have been.

    The store assigns the id. All annotations of an attempt are kept; the newest counts.
    """

    evaluation_id: EvaluationId
    item_id: ItemId
    sample: int
    label: Label
    created_at: datetime
    note: str = ""
    author: str = ""
    # The user who may remove it; None means everybody.
    owner: str | None = None
    id: int = 0

    def __post_init__(self) -> None:
        if len(self.note) > MAX_NOTE_CHARACTERS:
            raise InvalidValueError(f"a note has at most {MAX_NOTE_CHARACTERS:,} characters")
        if len(self.author) > MAX_AUTHOR_CHARACTERS:
            raise InvalidValueError(f"the name of an author has at most {MAX_AUTHOR_CHARACTERS} characters")

    @property
    def key(self) -> AttemptKey:
        return AttemptKey(self.item_id, self.sample)


@dataclass(frozen=True, slots=True)
class Regrade:
    """The stored answers of an evaluation graded again; unfinished while `summary` is None."""

    id: RegradeId
    evaluation_id: EvaluationId
    grader: str
    judge: str | None
    created_at: datetime
    summary: Summary | None = None


@dataclass(frozen=True, slots=True)
class RegradedAttempt:
    """The outcome of one attempt by a regrade; prompt and answer stay with the attempt."""

    item_id: ItemId
    sample: int
    outcome: Outcome
    score: float | None
    extracted: str | None = None
    explanation: str = ""
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])
    error_code: str | None = None
    error_message: str | None = None
    cost_usd: Decimal | None = None
    calls: tuple[Call, ...] = ()

    @property
    def key(self) -> AttemptKey:
        return AttemptKey(self.item_id, self.sample)
