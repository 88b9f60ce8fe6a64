"""How an attempt can end: a closed set."""

from collections.abc import Mapping
from enum import StrEnum


class Outcome(StrEnum):
    """How an attempt ended."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    PARTIAL = "partial"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    ANSWERED = "answered"
    MODEL_ERROR = "model_error"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    SANDBOX_ERROR = "sandbox_error"
    GRADER_ERROR = "grader_error"
    DATA_ERROR = "data_error"
    CANCELED = "canceled"

    # Enum.__hash__ is a slow Python function over the member's name; str's is fast and agrees with `==`.
    __hash__ = str.__hash__

    @property
    def is_verdict(self) -> bool:
        """Whether the attempt enters the score."""
        return self in VERDICTS

    @property
    def is_final(self) -> bool:
        """Whether the model has answered; every other outcome is missing data."""
        return self in FINAL


VERDICTS = frozenset(
    {
        Outcome.CORRECT,
        Outcome.INCORRECT,
        Outcome.PARTIAL,
        Outcome.UNPARSED,
        Outcome.REFUSED,
        Outcome.TRUNCATED,
    }
)

# An answer to an item without an expected answer is neither right nor wrong, and not missing either.
FINAL = VERDICTS | {Outcome.ANSWERED}

# Attempts that `assay retry` executes again.
RETRYABLE = frozenset(Outcome) - FINAL


def scored_count(outcomes: Mapping[Outcome, int]) -> int:
    """How many of these attempts enter the score."""
    return sum(count for outcome, count in outcomes.items() if outcome.is_verdict)
