"""What workers write to their logs when the database restarts under them."""

import re
from collections import Counter

import pytest

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import finished, requests, require_complete, submitted, wait_until, workers
from tests.postgres import Cluster

ITEMS, SAMPLES = 40, 12
LINE = re.compile(r"\d{4}-\d\d-\d\d [\d:,]+ WARNING (assay\.[a-z_.]+): (.+)")


@pytest.mark.parametrize("assay", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_a_restart_of_the_database_is_told_in_plain_lines(assay: Assay, postgres: Cluster) -> None:
    with sim_server(assay, "--behaviour", "ttft_ms=100") as base_url, workers(assay, 1):
        run_id = submitted(assay, base_url, samples=SAMPLES, items=ITEMS)
        wait_until(lambda: requests(base_url) > 100, within_s=60)
        postgres.restart("immediate")
        wait_until(lambda: finished(assay), within_s=90)
        require_complete(assay, run_id, total=ITEMS * SAMPLES)
    lines = [LINE.fullmatch(line) for line in assay.log.read_text().splitlines()]
    assert lines
    assert None not in lines, assay.log.read_text()
    # Each part of the worker says once that it waits, and once that it goes on.
    told = Counter((found[1], found[2].split(" fails until ")[0]) for found in lines if found)
    assert max(told.values()) == 1, assay.log.read_text()
