"""A worker on a queue, and a run that is stopped; what many workers survive is in `test_soak.py`."""

import json
import socket
import urllib.request

import pytest

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import (
    ITEMS,
    ended,
    endpoint_stats,
    finished,
    is_at_work,
    requests,
    require_complete,
    rows,
    submitted,
    wait_until,
    workers,
)

SAMPLES = 12
TOTAL = ITEMS * SAMPLES


def test_a_stopped_worker_hands_back_its_long_calls(assay: Assay) -> None:
    with (
        sim_server(assay, "--behaviour", "ttft_ms=1500") as base_url,
        workers(assay, 1, grace_s=0.2) as fleet,
    ):
        run_id = submitted(assay, base_url, samples=1)
        wait_until(lambda: requests(base_url) > 0, within_s=60)
        fleet[0].terminate()
        fleet[0].wait(timeout=60)
        assert not finished(assay)
        with workers(assay, 1):
            wait_until(lambda: finished(assay), within_s=60)
        require_complete(assay, run_id, total=ITEMS)


@pytest.mark.parametrize(("command", "state"), [("pause", "paused"), ("cancel", "canceled")])
def test_a_live_run_is_stopped_from_another_process(assay: Assay, command: str, state: str) -> None:
    with sim_server(assay, "--behaviour", "ttft_ms=1500") as base_url, workers(assay, 1):
        run_id = submitted(assay, base_url, samples=SAMPLES)
        wait_until(lambda: requests(base_url) > 60, within_s=60)
        assert assay.json(command, run_id)["status"] == state
        wait_until(lambda: endpoint_stats(base_url)["in_flight"] == 0, within_s=60)
        asked = requests(base_url)
        wait_until(lambda: rows(assay, "SELECT scored FROM evaluations") > [(0,)], within_s=60)
        assert requests(base_url) == asked
        shown = assay.json("show", run_id)
        assert shown["status"] == state
        assert shown["evaluations"][0]["scored"] < TOTAL
    assert "procrastinate" not in assay.log.read_text()


@pytest.mark.parametrize("assay", ["sqlite"], indirect=True)
def test_a_second_worker_of_a_sqlite_file_is_told_of_postgresql(assay: Assay) -> None:
    with workers(assay, 1):
        for command in (("worker",), ("up", "--port", "0")):
            _code, message = assay.failure(*command)
            assert "has one worker process" in message
            assert "DATABASE_URL" in message


@pytest.mark.parametrize("assay", ["sqlite"], indirect=True)
def test_a_worker_tells_its_state_and_whether_its_event_loop_was_blocked(assay: Assay) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = assay.start("worker", "--health-port", str(port))
    try:
        assert is_at_work(process)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60) as reply:  # our own
            state = json.loads(reply.read())
    finally:
        ended(process)
    assert state == {"status": "healthy", "worker": "local", "running": 0, "event_loop_blocked": 0}
