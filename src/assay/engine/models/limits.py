"""How many calls are made to an endpoint at once and per minute, and which are retried."""

from dataclasses import dataclass

from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.quota import Quotas
from assay.engine.models.retry import RetryPolicy
from assay.engine.ports import Clock

DEFAULT_CONNECTIONS = 16


@dataclass(frozen=True, slots=True)
class CallLimits:
    """`connections` is the number of calls at once for a run that does not specify it."""

    connections: int = DEFAULT_CONNECTIONS
    retries: RetryPolicy = RetryPolicy()
    quotas: Quotas | None = None

    def limiter(self, endpoint: str, *, clock: Clock, maximum: int) -> AdaptiveLimiter:
        quota = self.quotas.of(endpoint) if self.quotas else None
        return AdaptiveLimiter(clock, maximum=maximum, quota=quota)
