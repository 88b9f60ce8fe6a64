"""How workers divide what all of them together may use."""

from collections.abc import Iterable, Mapping

from assay.domain.run import RunId
from assay.engine.stores.fleet import Worker


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
