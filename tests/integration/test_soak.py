"""Twelve thousand attempts through everything that can happen to workers and to the database."""

import os
import signal
from collections.abc import Callable

import pytest

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import (
    finished,
    is_at_work,
    must_be_complete,
    requests,
    rows,
    started_worker,
    submitted,
    wait_until,
    workers,
)
from tests.postgres import Cluster

ITEMS, SAMPLES = 40, 300
TOTAL = ITEMS * SAMPLES
CONNECTIONS = 192
# Longer than the grace of a worker that is stopped: none of its calls ends in time.
BEHAVIOUR, GRACE_S = "ttft_ms=250", 0.1
# What a worker had answered when it was stopped, but not stored.
UNSTORED = 150


def test_nothing_is_lost_and_nothing_done_twice(assay: Assay, request: pytest.FixtureRequest) -> None:
    """A worker is killed, one frozen past its lease, one stopped with long calls, the server restarted."""
    cluster: Cluster | None = request.getfixturevalue("postgres") if assay.database_url else None
    restart: Callable[[str], None] = cluster.restart if cluster else lambda _mode: None
    with (
        sim_server(assay, "--behaviour", BEHAVIOUR) as base_url,
        workers(assay, 3, grace_s=GRACE_S) as fleet,
    ):
        run_id = submitted(assay, base_url, samples=SAMPLES, connections=CONNECTIONS, items=ITEMS)

        def reached(share: float) -> None:
            wait_until(lambda: requests(base_url) > share * TOTAL, within_s=60)

        reached(0.1)
        killed, frozen, stopped = fleet
        killed.kill()
        os.kill(frozen.pid, signal.SIGSTOP)
        fleet.append(started_worker(assay, grace_s=GRACE_S))
        for dead in (killed, frozen):
            wait_until(lambda pid=dead.pid: not is_known(assay, pid), within_s=30)
        os.kill(frozen.pid, signal.SIGCONT)
        reached(0.4)
        restart("fast")
        assert is_at_work(fleet[-1])
        reached(0.55)
        stopped.terminate()
        assert stopped.wait(timeout=20) == 0
        reached(0.7)
        restart("immediate")
        wait_until(lambda: finished(assay), within_s=90)

        must_be_complete(assay, run_id, total=TOTAL)
        must_be_stored_once(assay)
        # Each of the three had a third of the calls in flight; restarts cost none.
        assert requests(base_url) - TOTAL <= CONNECTIONS + 3 * UNSTORED


def is_known(assay: Assay, pid: int) -> bool:
    """Whether the worker has not been buried yet, which happens once its shards are taken over."""
    return any(f"-{pid}-" in name for (name,) in rows(assay, "SELECT id FROM workers"))


def must_be_stored_once(assay: Assay) -> None:
    """Every sample of every item, and for each one call that was answered."""
    per_item = rows(assay, "SELECT count(*), min(sample), max(sample) FROM attempts GROUP BY item_id")
    assert per_item == [(SAMPLES, 0, SAMPLES - 1)] * ITEMS
    assert rows(assay, "SELECT count(*) FROM calls WHERE status = 200") == [(TOTAL,)]
