"""The store of what endpoints may be asked per minute."""

from typing import Protocol

from assay.domain.calls.quota import Claim, Grant


class QuotaStore(Protocol):
    """All processes ask here how much they may use of an endpoint; one clock counts for all."""

    async def grant(self, claim: Claim) -> Grant: ...
