"""Many workers on one queue: what a run survives, on SQLite and on a real Postgres."""

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.integration.cli import Assay, sim_server
from tests.postgres import Cluster

LEASE_S = 2.5
BEHAVIOUR = "ttft_ms=60"
CONNECTIONS = 8
SAMPLES = 12
TOTAL = 42 * SAMPLES


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def assay(request: pytest.FixtureRequest, tmp_path: Path) -> Assay:
    variables = [("WORKER_HEARTBEAT_SECONDS", str(LEASE_S / 5))]
    if request.param == "postgres":
        variables.append(("DATABASE_URL", request.getfixturevalue("postgres_url")))
    return Assay(tmp_path / "home", tuple(variables))


@contextmanager
def workers(assay: Assay, count: int) -> Generator[list[subprocess.Popen[str]]]:
    """Worker processes that have said that they are at work."""
    with ExitStack() as stack:
        started: list[subprocess.Popen[str]] = []
        for _ in range(count):
            process = assay.start("worker", "--concurrency", "4", "--grace", "1")
            stack.callback(_ended, process)
            started.append(process)
        for process in started:
            assert process.stdout is not None
            assert "at work" in process.stdout.readline()
        yield started


def _ended(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.kill()
    process.communicate(timeout=30)


def submitted(assay: Assay, base_url: str, *, samples: int = SAMPLES) -> str:
    return assay.json(
        "run", "openai-api/x/test/letter", "mmlu_pro", "--data", "samples", "--samples", str(samples),
        "--base-url", base_url, "--max-connections", str(3 * CONNECTIONS), "--detach",
    )["run_id"]  # fmt: skip


def requests(base_url: str) -> int:
    address = base_url.removesuffix("/v1") + "/sim/stats"
    with urllib.request.urlopen(address, timeout=10) as reply:  # noqa: S310 # our own server
        return json.loads(reply.read())["requests"]


def wait_until(condition: Callable[[], bool], *, within_s: float) -> float:
    """Seconds until the condition holds."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < within_s, "it did not happen in time"
        time.sleep(0.1)
    return time.monotonic() - began


def finished(assay: Assay, run_id: str) -> bool:
    return assay.json("show", run_id)["status"] in {"succeeded", "failed", "canceled", "paused"}


def must_be_complete(assay: Assay, run_id: str, *, total: int = TOTAL) -> None:
    shown = assay.json("show", run_id)
    assert shown["status"] == "succeeded", shown["error"]
    assert [(one["scored"], one["total"]) for one in shown["evaluations"]] == [(total, total)]


def test_three_workers_share_a_run_and_one_is_killed(assay: Assay) -> None:
    with sim_server(assay, "--behaviour", BEHAVIOUR) as base_url, workers(assay, 3) as fleet:
        run_id = submitted(assay, base_url)
        wait_until(lambda: requests(base_url) > TOTAL / 4, within_s=30)
        fleet[0].kill()
        wait_until(lambda: finished(assay, run_id), within_s=60)
        must_be_complete(assay, run_id)
        # What the dead worker had in flight, and what it had answered in the last batch but not stored.
        assert requests(base_url) - TOTAL <= 3 * CONNECTIONS + 60


def test_a_frozen_worker_does_not_repeat_what_others_did(assay: Assay) -> None:
    with sim_server(assay, "--behaviour", BEHAVIOUR) as base_url, workers(assay, 2) as fleet:
        run_id = submitted(assay, base_url)
        wait_until(lambda: requests(base_url) > TOTAL / 4, within_s=30)
        os.kill(fleet[0].pid, signal.SIGSTOP)
        time.sleep(3 * LEASE_S)
        os.kill(fleet[0].pid, signal.SIGCONT)
        wait_until(lambda: finished(assay, run_id), within_s=60)
        must_be_complete(assay, run_id)
        assert requests(base_url) - TOTAL <= 2 * 3 * CONNECTIONS + 60


def test_a_stopped_worker_hands_back_its_long_calls(assay: Assay) -> None:
    with sim_server(assay, "--behaviour", "ttft_ms=4000") as base_url, workers(assay, 1) as fleet:
        run_id = submitted(assay, base_url, samples=1)
        wait_until(lambda: requests(base_url) > 0, within_s=30)
        began = time.monotonic()
        fleet[0].terminate()
        fleet[0].wait(timeout=15)
        assert time.monotonic() - began < 8
        with workers(assay, 1):
            wait_until(lambda: finished(assay, run_id), within_s=60)
        must_be_complete(assay, run_id, total=42)


@pytest.mark.parametrize(("command", "state"), [("pause", "paused"), ("cancel", "canceled")])
def test_a_live_run_is_stopped_from_another_process(assay: Assay, command: str, state: str) -> None:
    with sim_server(assay, "--behaviour", "ttft_ms=1500") as base_url, workers(assay, 1):
        run_id = submitted(assay, base_url)
        wait_until(lambda: requests(base_url) > 60, within_s=30)
        assert assay.json(command, run_id)["status"] == state
        time.sleep(2)
        asked = requests(base_url)
        time.sleep(1)
        assert requests(base_url) == asked
        wait_until(lambda: assay.json("show", run_id)["evaluations"][0]["scored"] > 0, within_s=20)
        shown = assay.json("show", run_id)
        assert shown["status"] == state
        assert shown["evaluations"][0]["scored"] < TOTAL


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_the_database_restarts_in_the_middle(postgres: Cluster, tmp_path: Path, mode: str) -> None:
    variables = (("WORKER_HEARTBEAT_SECONDS", "2"), ("DATABASE_URL", postgres.new_database()))
    assay = Assay(tmp_path / "home", variables)
    with sim_server(assay, "--behaviour", BEHAVIOUR) as base_url, workers(assay, 2):
        run_id = submitted(assay, base_url)
        wait_until(lambda: requests(base_url) > TOTAL / 4, within_s=30)
        postgres.restart(mode)
        wait_until(lambda: finished(assay, run_id), within_s=90)
        must_be_complete(assay, run_id)
