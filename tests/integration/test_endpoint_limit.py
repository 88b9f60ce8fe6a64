"""How much the workers of an installation may ask of an endpoint."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import (
    ITEMS,
    MODEL,
    ended,
    endpoint_stats,
    finished,
    is_at_work,
    rows,
    started_worker,
    submitted,
    wait_until,
    workers,
)

CAP = 3
CONNECTIONS = 6
PER_MINUTE = 1200
MODELS = (MODEL, "openai-api/x/test/echo")


def test_an_endpoint_gets_no_more_calls_at_once_than_may_be(tmp_path: Path) -> None:
    assay = Assay(tmp_path / "home", (("ASSAY_ENDPOINT_CONNECTIONS", str(CAP)),))
    with sim_server(assay, "--behaviour", "ttft_ms=50") as base_url, workers(assay, 1):
        run_id = submitted(assay, base_url, samples=2)
        wait_until(lambda: finished(assay), within_s=60)
        assert assay.json("show", run_id)["status"] == "succeeded"
        assert endpoint_stats(base_url)["max_in_flight"] == CAP


def calls_in_flight(assay: Assay) -> list[int]:
    """How many calls each worker last reported."""
    found = rows(assay, "SELECT endpoints FROM workers")
    return [sum(json.loads(endpoints).values()) for (endpoints,) in found]


def shared(assay: Assay) -> list[int]:
    """How many connections each worker may use."""
    return [connections for (connections,) in rows(assay, "SELECT connections FROM connection_shares")]


@pytest.mark.postgres
def test_a_worker_that_joins_does_not_exceed_the_connections_of_the_run(
    tmp_path: Path, postgres_url: str
) -> None:
    # A worker that a busy machine holds up must not count as dead: its calls in flight would not be counted.
    often = ("WORKER_HEARTBEAT_SECONDS", "2")
    assay = Assay(tmp_path / "home", (often, ("DATABASE_URL", postgres_url)))
    with sim_server(assay, "--behaviour", "ttft_ms=400") as base_url, workers(assay, 1) as fleet:
        submitted(assay, base_url, samples=40, connections=CONNECTIONS)
        wait_until(lambda: endpoint_stats(base_url)["in_flight"] == CONNECTIONS, within_s=60)
        fleet.append(started_worker(assay))
        wait_until(lambda: shared(assay) == [CONNECTIONS // 2] * 2, within_s=60)
        wait_until(lambda: sum(count > 0 for count in calls_in_flight(assay)) == 2, within_s=60)
        assert endpoint_stats(base_url)["max_in_flight"] == CONNECTIONS


@pytest.mark.postgres
def test_two_workers_together_keep_to_the_requests_per_minute(tmp_path: Path, postgres_url: str) -> None:
    limit = ("ASSAY_ENDPOINT_REQUESTS_PER_MINUTE", str(PER_MINUTE))
    assay = Assay(tmp_path / "home", (limit, ("DATABASE_URL", postgres_url)))
    with sim_server(assay, "--behaviour", "ttft_ms=20") as base_url, ExitStack() as stack:
        started = [assay.start("worker", "--only-model", model) for model in MODELS]
        stack.callback(lambda: [ended(process) for process in started])
        assert all(map(is_at_work, started))
        assay.json(
            "run", ",".join(MODELS), "mmlu_pro", "--data", "demo", "--base-url", base_url,
            "--max-connections", "40", "--detach",
        )  # fmt: skip
        wait_until(lambda: finished(assay), within_s=60)
    calls = rows(assay, "SELECT started_at, duration_ms FROM calls ORDER BY started_at")
    assert len(calls) == 2 * ITEMS
    began = [started_at.timestamp() for started_at, _ in calls]
    for number, at in enumerate(began):
        for later in began[number:]:
            # What is used within a time was granted within two seconds more.
            assert began.index(later) - number < PER_MINUTE / 60 * (later - at + 2) + 1
    assert began[-1] - began[0] > 2
    # Half of the calls waited for a second and more, which is not the model's time.
    assert sorted(duration_ms for _, duration_ms in calls)[ITEMS] < (began[-1] - began[0]) * 1000 / 4
