"""One sample of one item in an evaluation, and the calls it took."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from decimal import Decimal
from typing import Literal, NamedTuple

from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json, Usage
from assay.domain.calls.timing import Arrivals, StreamTiming
from assay.domain.outcome import Outcome
from assay.domain.record import record
from assay.domain.run import EvaluationId

# The detail of an attempt whose answer an earlier evaluation got; its value is the id of that evaluation.
REUSED_FROM = "reused_from"
# The detail with the figures of `Logprobs`.
LOGPROBS = "logprobs"

CallRole = Literal["model", "judge", "user"]
"""Whom the call asked: the model under test, a judge, or the model that plays the user."""


class AttemptKey(NamedTuple):
    """Unique within an evaluation, so that executing an attempt twice stores it once."""

    item_id: ItemId
    sample: int


@record
class Call:
    """One HTTP exchange with an endpoint, whether it succeeded or not."""

    started_at: datetime
    duration_ms: float
    role: CallRole = "model"
    status: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    finish_reason: str | None = None
    usage: Usage = Usage()
    timing: StreamTiming | None = None
    served_model: str | None = None
    system_fingerprint: str | None = None
    concurrency: int | None = None
    # Not compared: a store may keep them relative to another clock, rounded to 0.1 ms.
    arrivals: Arrivals | None = field(default=None, compare=False, repr=False)


@record
class Attempt:
    """Ends in exactly one outcome; `score` is None unless the outcome is a verdict."""

    evaluation_id: EvaluationId
    item_id: ItemId
    sample: int
    outcome: Outcome
    score: float | None
    started_at: datetime
    finished_at: datetime
    prompt: str = ""
    answer: str = ""
    reasoning: str = ""
    extracted: str | None = None
    expected: str | None = None
    explanation: str = ""
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])
    test_code: str | None = None
    finish_reason: str | None = None
    is_cut: bool = False
    usage: Usage = Usage()
    timing: StreamTiming | None = None
    cost_usd: Decimal | None = None
    # What other models cost: judges, and the one that plays the user.
    judge_cost_usd: Decimal | None = None
    error_code: str | None = None
    error_message: str | None = None
    # Number of calls to the model; set even if `calls` is not loaded.
    tries: int = 0
    calls: tuple[Call, ...] = ()
    # Hash of the item's content: shows whether two runs asked the same question.
    item_hash: str | None = None

    @property
    def key(self) -> AttemptKey:
        return AttemptKey(self.item_id, self.sample)

    @property
    def is_reused(self) -> bool:
        """Whether the answer is that of an earlier evaluation, so that it took no calls here."""
        return REUSED_FROM in self.details

    @property
    def has_logprobs(self) -> bool:
        return LOGPROBS in self.details
