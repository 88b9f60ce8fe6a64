"""When endpoints may be asked, in plain Python."""

import time
from collections.abc import Callable

from assay.domain.quota import Claim, Grant, granted


class MemoryQuotas:
    """A part of the store in memory; each method is one transaction."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._free_at: dict[tuple[str, str], float] = {}

    async def grant(self, claim: Claim) -> Grant:
        place, now = (claim.endpoint, claim.unit), self._now()
        found, self._free_at[place] = granted(claim, free_at=self._free_at.get(place, now), now=now)
        return found
