"""What happens between an evaluation and its endpoint, for those who want to know why a run is slow."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from assay.domain.errors import CallError, RateLimitedError
from assay.domain.json_value import Json
from assay.engine.models.limiter import AdaptiveLimiter


@dataclass(slots=True)
class Traffic:
    """Counts the calls of this process that failed and are repeated."""

    limiter: AdaptiveLimiter
    # Evaluations of one endpoint share its limiter: their calls in flight are the same ones.
    endpoint: str
    rate_limited: int = 0
    retries: int = 0
    # Attempts that wait for their next try, and why the last of them does.
    waiting: int = 0
    reason: str | None = None

    @contextmanager
    def waiting_to_retry(self, error: CallError) -> Generator[None]:
        self.rate_limited += isinstance(error, RateLimitedError)
        self.retries += 1
        self.waiting += 1
        self.reason = error.message
        try:
            yield
        finally:
            self.waiting -= 1

    def to_json(self) -> Mapping[str, Json]:
        return {
            "endpoint": self.endpoint,
            "calls_in_flight": self.limiter.in_flight,
            "call_limit": self.limiter.limit,
            "closed_for_s": round(self.limiter.closed_for_s, 1),
            "rate_limited": self.rate_limited,
            "retries": self.retries,
            "waiting_to_retry": self.waiting,
            "retry_reason": self.reason if self.waiting else None,
        }
