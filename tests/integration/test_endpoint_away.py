"""An endpoint that goes away in the middle of a run, and comes back."""

from urllib.parse import urlsplit

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import (
    ITEMS,
    finished,
    is_at_work,
    requests,
    require_complete,
    rows,
    started_worker,
    submitted,
    wait_until,
    workers,
)

BEHAVIOUR = "ttft_ms=300"


def test_a_run_waits_for_its_endpoint_and_goes_on(assay: Assay) -> None:
    with workers(assay, 1) as fleet:
        with sim_server(assay, "--behaviour", BEHAVIOUR) as base_url:
            run_id = submitted(assay, base_url, samples=3)
            wait_until(lambda: requests(base_url) > ITEMS, within_s=30)
        if assay.database_url:
            # It meets the endpoint for the first time while it is away.
            fleet.append(started_worker(assay))
            assert is_at_work(fleet[1])
        wait_until(lambda: len(at_shards(assay)) == len(fleet), within_s=30)
        assert not finished(assay)
        port = str(urlsplit(base_url).port)
        with sim_server(assay, "--port", port, "--behaviour", BEHAVIOUR):
            wait_until(lambda: finished(assay), within_s=60)
    require_complete(assay, run_id, total=3 * ITEMS)
    ((tried,),) = rows(assay, "SELECT count(*) FROM calls WHERE error_code = 'connection'")
    assert tried > 0


def at_shards(assay: Assay) -> list[object]:
    """The workers that have some in hand."""
    return [running for (running,) in rows(assay, "SELECT running FROM workers") if running != "[]"]
