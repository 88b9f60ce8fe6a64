"""How workers divide what all of them together may use."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping

from assay.domain.run import RunId
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.stores.fleet import FleetStore, Worker

Limiters = Mapping[tuple[RunId, str], AdaptiveLimiter]
"""By run and endpoint."""


class RunShares:
    """How many calls to an endpoint this worker may have in flight for each run that it executes."""

    def __init__(self, fleet: FleetStore, worker_id: str, limiters: Callable[[], Limiters]) -> None:
        self._fleet = fleet
        self._worker_id = worker_id
        self._limiters = limiters
        self._shares: dict[RunId, int] = {}
        # A share that was read before another was lowered must not be set after it.
        self._lock = asyncio.Lock()

    def of(self, run_id: RunId) -> int:
        """0 where other workers have them all."""
        return self._shares.get(run_id, 0)

    async def renew(self, run_id: RunId, *, most: int) -> None:
        """Take an even share of what is free, and keep to it at once if it is lower."""
        async with self._lock:
            in_flight = [limiter.in_flight for limiter in self._limiters_of(run_id)]
            held = max(self._shares.get(run_id, 0), *in_flight, 0)
            share = await self._fleet.share_connections(run_id, self._worker_id, most=most, held=held)
            self._shares[run_id] = share
            for limiter in self._limiters_of(run_id):
                limiter.maximum = min(limiter.maximum, self.of(run_id))

    async def leave_all_but(self, run_ids: Collection[RunId]) -> None:
        async with self._lock:
            for run_id in [one for one in self._shares if one not in run_ids]:
                await self._fleet.leave_run(run_id, self._worker_id)
                del self._shares[run_id]

    def _limiters_of(self, run_id: RunId) -> list[AdaptiveLimiter]:
        return [limiter for place, limiter in self._limiters().items() if place[0] == run_id]


def endpoint_shares(
    most: int, own: Mapping[tuple[RunId, str], int], others: Iterable[Worker]
) -> dict[tuple[RunId, str], int]:
    """How many of the `most` calls in flight to each endpoint each run of this worker may have.

    `own` counts our calls in flight by run and endpoint. Whoever has none there gets no share, but every run
    has at least one call, or it would never begin.
    """
    busy = [endpoint for worker in others for endpoint, count in worker.endpoints.items() if count]
    shares: dict[tuple[RunId, str], int] = {}
    for run_id, endpoint in own:
        workers = 1 + busy.count(endpoint)
        runs = _runs_at(endpoint, own, besides=run_id)
        shares[run_id, endpoint] = max(1, most // workers // (1 + runs))
    return shares


def _runs_at(endpoint: str, own: Mapping[tuple[RunId, str], int], *, besides: RunId) -> int:
    return sum(count > 0 and at == endpoint and run_id != besides for (run_id, at), count in own.items())
