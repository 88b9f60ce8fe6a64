"""What endpoints may be asked per minute, as a store keeps it."""

from typing import Protocol

from assay.domain.quota import Claim, Grant


class QuotaStore(Protocol):
    """Where all processes get what they may use of an endpoint; one clock counts for all."""

    async def grant(self, claim: Claim) -> Grant: ...
