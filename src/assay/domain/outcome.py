"""How an attempt can end: a closed set."""

from enum import StrEnum


class Outcome(StrEnum):
    CORRECT = "correct"
    INCORRECT = "incorrect"
    PARTIAL = "partial"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    MODEL_ERROR = "model_error"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    SANDBOX_ERROR = "sandbox_error"
    GRADER_ERROR = "grader_error"
    DATA_ERROR = "data_error"
    CANCELED = "canceled"

    @property
    def is_verdict(self) -> bool:
        """Whether the attempt enters the score; every other outcome is missing data."""
        return self in VERDICTS


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

# Worth another try when a user asks to retry errored attempts: nothing here is the model's verdict.
RETRYABLE = frozenset(Outcome) - VERDICTS
