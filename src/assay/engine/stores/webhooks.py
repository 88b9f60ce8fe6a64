"""The store of addresses that are notified when a run ends."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assay.domain.run import RunId


@dataclass(frozen=True, slots=True)
class Webhook:
    """`next_at` is the time of the next try; None once it was delivered or given up."""

    run_id: RunId
    url: str
    created_at: datetime
    next_at: datetime | None
    tries: int = 0
    delivered_at: datetime | None = None
    error: str | None = None
    # None if the secret of the installation signs.
    sealed_secret: bytes | None = field(default=None, repr=False)


class WebhookStore(Protocol):
    """Each method is one transaction."""

    async def add(self, webhook: Webhook) -> None: ...

    async def get(self, run_id: RunId) -> Webhook | None: ...

    async def claim(self, *, at: datetime, until: datetime) -> Webhook | None:
        """One whose run has ended and whose time has come; no other caller gets it before `until`."""
        ...

    async def record_try(self, webhook: Webhook) -> None:
        """Store the outcome of a try: `tries`, `next_at`, `delivered_at` and `error`."""
        ...

    async def given_up(self, *, limit: int, offset: int) -> tuple[tuple[Webhook, ...], int]:
        """Those that could not be delivered, newest first, and how many there are."""
        ...
