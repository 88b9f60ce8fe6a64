"""How much the workers of an installation may ask of an endpoint."""

import json
import urllib.request
from pathlib import Path

from tests.integration.cli import Assay, sim_server
from tests.integration.test_service import finished, submitted, wait_until, workers

CAP = 3


def most_in_flight(base_url: str) -> int:
    address = base_url.removesuffix("/v1") + "/sim/stats"
    with urllib.request.urlopen(address, timeout=10) as reply:  # noqa: S310 # our own server
        return json.loads(reply.read())["max_in_flight"]


def test_an_endpoint_gets_no_more_calls_at_once_than_may_be(tmp_path: Path) -> None:
    assay = Assay(tmp_path / "home", (("ASSAY_ENDPOINT_CONNECTIONS", str(CAP)),))
    with sim_server(assay, "--behaviour", "ttft_ms=50") as base_url, workers(assay, 1):
        run_id = submitted(assay, base_url, samples=2)
        wait_until(lambda: finished(assay, run_id), within_s=60)
        assert assay.json("show", run_id)["status"] == "succeeded"
        assert most_in_flight(base_url) == CAP
