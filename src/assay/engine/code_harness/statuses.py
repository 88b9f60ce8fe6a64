"""How the harness names the ending of an attempt."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from assay.domain.attempt import Attempt
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation
from assay.engine.code_harness.names import level_of

Status = Literal["passed", "failed", "error", "api_error"]
# The best first.
STATUSES: tuple[Status, ...] = ("passed", "failed", "error", "api_error")


def status_of(attempt: Attempt) -> Status:
    """`error` is a reply without a usable answer; `api_error` is missing data, and counts in no figure."""
    return status_of_outcome(attempt.outcome)


def status_of_outcome(outcome: Outcome) -> Status:
    if outcome is Outcome.CORRECT:
        return "passed"
    if outcome in {Outcome.INCORRECT, Outcome.PARTIAL}:
        return "failed"
    return "error" if outcome.is_final else "api_error"


def best_status(statuses: Iterable[Status]) -> Status:
    return min(statuses, key=STATUSES.index)


def status_counts(statuses: Iterable[Status]) -> Mapping[str, int]:
    """With a count for every status, zeros included."""
    found: dict[str, int] = dict.fromkeys(STATUSES, 0)
    for status in statuses:
        found[status] += 1
    return found


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """An attempt as far as metrics are concerned; unique but for its status."""

    task_id: str
    model: str
    level: str
    sample_index: int
    status: Status

    @classmethod
    def of(cls, attempt: Attempt, evaluation: Evaluation) -> "AttemptResult":
        return cls(
            attempt.item_id, evaluation.model, level_of(evaluation), attempt.sample, status_of(attempt)
        )
