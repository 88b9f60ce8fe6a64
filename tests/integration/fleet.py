"""Workers in processes of their own, to be killed, frozen and stopped, and a run for them to do."""

import json
import signal
import sqlite3
import subprocess
import time
import urllib.request
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from typing import Any, LiteralString

import psycopg

from tests.integration.cli import Assay

LEASE_S = 2.5
MODEL = "openai-api/x/test/letter"
ITEMS = 42


def started_worker(assay: Assay, *, grace_s: float = 1.0) -> subprocess.Popen[str]:
    return assay.start("worker", "--concurrency", "4", "--grace", str(grace_s))


def is_at_work(process: subprocess.Popen[str]) -> bool:
    """Waits until it has said so."""
    assert process.stdout is not None
    return "at work" in process.stdout.readline()


@contextmanager
def workers(assay: Assay, count: int, *, grace_s: float = 1.0) -> Generator[list[subprocess.Popen[str]]]:
    """Those that have said that they are at work, and whichever are added; all are gone in the end."""
    with ExitStack() as stack:
        started = [started_worker(assay, grace_s=grace_s) for _ in range(count)]
        stack.callback(lambda: [ended(process) for process in started])
        assert all(map(is_at_work, started))
        yield started


def ended(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.kill()
    process.communicate(timeout=60)


def submitted(assay: Assay, base_url: str, *, samples: int, connections: int = 24, items: int = ITEMS) -> str:
    return assay.json(
        "run", MODEL, "mmlu_pro", "--data", "demo", "--count", str(items), "--samples", str(samples),
        "--base-url", base_url, "--max-connections", str(connections), "--detach",
    )["run_id"]  # fmt: skip


def endpoint_stats(base_url: str) -> dict[str, int]:
    address = base_url.removesuffix("/v1") + "/sim/stats"
    with urllib.request.urlopen(address, timeout=60) as reply:  # noqa: S310 # our own server
        return json.loads(reply.read())


def requests(base_url: str) -> int:
    return endpoint_stats(base_url)["requests"]


def wait_until(condition: Callable[[], bool], *, within_s: float) -> float:
    """Seconds until the condition holds."""
    began = asked = time.monotonic()
    while not condition():
        now = time.monotonic()
        assert now - began < within_s, "it did not happen in time"
        # To ask may be to start a command, which takes the processor from what is waited for.
        time.sleep(max(0.1, now - asked))
        asked = time.monotonic()
    return time.monotonic() - began


def rows(assay: Assay, statement: LiteralString) -> list[tuple[Any, ...]]:
    """Read from the database itself: a command for each query would take processor time from the workers."""
    if assay.database_url is None:
        with closing(sqlite3.connect(assay.home / "assay.db")) as connection:
            return connection.execute(statement).fetchall()
    with psycopg.connect(assay.database_url) as connection:
        return connection.execute(statement).fetchall()


def finished(assay: Assay) -> bool:
    """Whether no run is under way."""
    try:
        return not rows(assay, "SELECT id FROM runs WHERE state IN ('queued', 'running')")
    except psycopg.OperationalError:
        return False


def require_complete(assay: Assay, run_id: str, *, total: int) -> None:
    shown = assay.json("show", run_id)
    assert shown["status"] == "succeeded", shown["error"]
    assert [(one["scored"], one["total"]) for one in shown["evaluations"]] == [(total, total)]
    assert shown["evaluations"][0]["score"] is not None
