"""Which failed call is retried, and when; decided by the class of the error, never by its text."""

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TypeGuard

from assay.domain.errors import (
    AttemptError,
    BadReplyError,
    CallError,
    CallTimeoutError,
    ConnectionFailedError,
    DataError,
    EndpointError,
    GraderError,
    RateLimitedError,
    SandboxError,
    ServerError,
)
from assay.domain.outcome import Outcome

# The endpoint is busy or away: these are retried until the deadline.
_TRANSIENT = (RateLimitedError, ServerError, ConnectionFailedError)
# The endpoint answered badly or too slowly: these are retried a few times.
_DOUBTFUL = (CallTimeoutError, BadReplyError)
# The second is Anthropic's for an API that is overloaded.
_BUSY_STATUSES = (HTTPStatus.SERVICE_UNAVAILABLE, 529)
# How much of the back-off is kept where a Retry-After is shorter.
_LEAST_OF_BACK_OFF = 0.25


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Back-off doubles from `first_delay_s` to `max_delay_s`; `deadline_s` counts from the first try."""

    first_delay_s: float = 1.0
    max_delay_s: float = 30.0
    deadline_s: float = 600.0
    doubtful_tries: int = 3
    # None means that the deadline alone ends the tries at a busy endpoint.
    most_tries: int | None = None

    def limited_to(self, retries: int | None) -> "RetryPolicy":
        """The same policy where a call is repeated at most so often, whatever its error."""
        if retries is None:
            return self
        return replace(self, doubtful_tries=retries + 1, most_tries=retries + 1)


def is_pushing_back(error: CallError | EndpointError) -> TypeGuard[CallError]:
    """Whether the endpoint refused the call because it is too busy."""
    return isinstance(error, RateLimitedError) or (
        isinstance(error, ServerError) and error.status in _BUSY_STATUSES
    )


def next_delay_s(policy: RetryPolicy, error: CallError, *, tries: int, elapsed_s: float) -> float | None:
    """Seconds until the next try, or None to give up."""
    if policy.most_tries is not None and tries >= policy.most_tries:
        return None
    if isinstance(error, _DOUBTFUL):
        if tries >= policy.doubtful_tries:
            return None
    elif not isinstance(error, _TRANSIENT):
        return None
    delay_s = min(policy.max_delay_s, policy.first_delay_s * 2 ** min(tries - 1, 16))
    if error.retry_after_s is not None:
        # The endpoint knows better, but one that always says "at once" must not be asked without a pause.
        delay_s = max(error.retry_after_s, delay_s * _LEAST_OF_BACK_OFF)
    return delay_s if elapsed_s + delay_s <= policy.deadline_s else None


def outcome_of(error: AttemptError) -> Outcome:
    """The outcome of an attempt that this error ended."""
    for kind, outcome in _OUTCOMES:
        if isinstance(error, kind):
            return outcome
    return Outcome.MODEL_ERROR


_OUTCOMES: tuple[tuple[type[AttemptError], Outcome], ...] = (
    (RateLimitedError, Outcome.RATE_LIMITED),
    (CallTimeoutError, Outcome.TIMEOUT),
    (GraderError, Outcome.GRADER_ERROR),
    (SandboxError, Outcome.SANDBOX_ERROR),
    (DataError, Outcome.DATA_ERROR),
)
