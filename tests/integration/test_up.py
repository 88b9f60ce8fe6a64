"""`assay up`: the API, the web UI and a worker in one process."""

import json
import re
import signal
import sqlite3
import subprocess
import urllib.request
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import requests, rows, wait_until

MODEL = "openai-api/x/test/letter"
KEY = "key-of-this-terminal"


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


@contextmanager
def up(assay: Assay, *options: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    process = assay.start("up", "--port", "0", *options)
    try:
        assert process.stdout is not None
        found = re.search(r"http://[^/]+", process.stdout.readline())
        assert found, process.stderr.read() if process.stderr else ""
        yield process, found[0]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=60)


def call(address: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data=data, headers={"Content-Type": "application/json"})  # noqa: S310 # our own server
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310
        return json.loads(reply.read())


def test_a_run_created_over_http_is_executed_in_the_same_process(assay: Assay) -> None:
    with up(assay) as (process, address):
        asked = {
            "models": ["sim/good", "sim/weak"],
            "selected_benchmarks": ["mmlu_pro"],
            "config": {"data": "demo"},
        }
        run = call(f"{address}/api/runs", asked)
        wait_until(lambda: call(f"{address}/api/runs/{run['id']}")["status"] == "succeeded", within_s=60)
        assert assay.json("show", run["id"])["status"] == "succeeded"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130


def test_a_killed_service_goes_on_by_itself_after_a_restart(assay: Assay) -> None:
    with sim_server(assay, "--behaviour", "ttft_ms=100") as base_url:
        with up(assay) as (process, _address):
            run_id = assay.json(
                "run",
                MODEL,
                "mmlu_pro",
                "--data",
                "demo",
                "--samples",
                "20",
                "--base-url",
                base_url,
                "--detach",
            )["run_id"]
            wait_until(lambda: requests(base_url) > 100, within_s=60)
            process.kill()
            process.wait(timeout=60)
        asked = requests(base_url)
        with up(assay) as (_process, address):
            wait_until(lambda: requests(base_url) > asked, within_s=60)
            wait_until(lambda: call(f"{address}/api/runs/{run_id}")["status"] == "succeeded", within_s=60)
        shown = assay.json("show", run_id)
        assert shown["evaluations"][0]["scored"] == 42 * 20


def queued_shards(assay: Assay) -> int:
    [(count,)] = rows(assay, "SELECT count(*) FROM queued_shards")
    return count


def test_a_run_goes_on_with_the_key_of_this_terminal_while_the_service_has_none(assay: Assay) -> None:
    keyed = Assay(assay.home, (("X_API_KEY", KEY),))
    with sim_server(assay, "--key", KEY) as base_url, up(assay) as (_process, address):
        failed = assay("run", MODEL, "mmlu_pro", "--data", "demo", "--base-url", base_url)
        assert failed.returncode == 1
        (run,) = keyed.json("list")["runs"]
        requeued = keyed("requeue", run["run_id"])
        assert f"with their own keys; to execute it in this terminal: assay resume {run['run_id'][:8]}" in (
            requeued.stderr
        )
        wait_until(lambda: call(f"{address}/api/runs/{run['run_id']}")["status"] == "failed", within_s=60)
        resumed = keyed.json("resume", run["run_id"])
        assert resumed["status"] == "succeeded"
        assert resumed["evaluations"][0]["scored"] == 42


def test_what_waits_for_a_worker_is_executed_here_alone(assay: Assay) -> None:
    queued = assay("run", "sim/good", "mmlu_pro", "--data", "demo", "--detach")
    assert "no worker is up for sim/good: the run waits until one is started" in queued.stderr
    (run,) = assay.json("list")["runs"]
    assert queued_shards(assay) > 0
    assert assay.json("resume", run["run_id"])["status"] == "succeeded"
    assert queued_shards(assay) == 0


def test_nothing_is_said_of_workers_where_one_is_up(assay: Assay) -> None:
    with up(assay):
        assert "no worker" not in assay("run", "sim/good", "mmlu_pro", "--data", "demo", "--detach").stderr


def test_a_run_that_ended_long_ago_is_offloaded_by_the_service(assay: Assay) -> None:
    """Its items are refused from then on, and its report is not."""
    run_id = assay.json("run", "sim/good", "mmlu_pro", "--data", "demo", "--count", "5")["run_id"]
    with closing(sqlite3.connect(assay.home / "assay.db")) as database, database:
        database.execute("UPDATE runs SET finished_at = '2020-01-01T00:00:00.000000+00:00'")
    keeping = Assay(assay.home, (("ASSAY_OFFLOAD_AFTER_DAYS", "30"),))
    with up(keeping) as (_process, address):
        report = f"{address}/api/runs/{run_id}"
        wait_until(lambda: call(report)["offloaded_at"] is not None, within_s=60)
        wait_until(lambda: rows(assay, "SELECT count(*) FROM attempts") == [(0,)], within_s=60)
        assert call(report)["evaluations"][0]["score"] is not None
        with pytest.raises(HTTPError) as refused:
            call(f"{report}/benchmarks/mmlu_pro")
        with refused.value as reply:
            assert (reply.status, json.loads(reply.read())["code"]) == (409, "offloaded")
    assert len(list(assay.home.glob("offloaded/*/*.parquet"))) == 1
