"""Twelve thousand attempts through everything that can happen to workers and to the database."""

import os
import signal
import subprocess
import time

import pytest

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import (
    LEASE_S,
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
from tests.postgres import Cluster

ITEMS, SAMPLES = 40, 300
TOTAL = ITEMS * SAMPLES
CONNECTIONS = 192
# Longer than the grace of a worker that is stopped: none of its calls ends in time.
BEHAVIOUR, GRACE_S = "ttft_ms=250", 0.1
# What a worker had answered when it was stopped, but not stored.
UNSTORED = 150


@pytest.mark.parametrize("assay", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_several_workers_lose_nothing_and_do_nothing_twice(assay: Assay, postgres: Cluster) -> None:
    """A worker is killed, one frozen past its lease, one stopped with long calls, the server restarted."""
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
        assert is_at_work(fleet[-1])
        reached(0.4)
        postgres.restart("fast")
        reached(0.55)
        stopped.terminate()
        assert stopped.wait(timeout=20) == 0
        reached(0.7)
        postgres.restart("immediate")
        wait_until(lambda: finished(assay), within_s=90)

        require_complete(assay, run_id, total=TOTAL)
        require_stored_once(assay)
        assert "Traceback" not in assay.log.read_text()
        # Each of the three had a third of the calls in flight; restarts cost none.
        assert requests(base_url) - TOTAL <= CONNECTIONS + 3 * UNSTORED


@pytest.mark.parametrize("assay", ["sqlite"], indirect=True)
def test_one_worker_after_another_loses_nothing_and_does_nothing_twice(assay: Assay) -> None:
    """The worker of a SQLite file is killed, the next one frozen, then stopped with long calls."""
    with (
        sim_server(assay, "--behaviour", BEHAVIOUR) as base_url,
        workers(assay, 1, grace_s=GRACE_S) as fleet,
    ):
        run_id = submitted(assay, base_url, samples=SAMPLES, connections=CONNECTIONS, items=ITEMS)

        def reached(share: float) -> None:
            wait_until(lambda: requests(base_url) > share * TOTAL, within_s=90)

        def next_worker() -> subprocess.Popen[str]:
            fleet.append(started_worker(assay, grace_s=GRACE_S))
            assert is_at_work(fleet[-1])
            return fleet[-1]

        reached(0.2)
        fleet[0].kill()
        fleet[0].wait()
        second = next_worker()
        reached(0.4)
        os.kill(second.pid, signal.SIGSTOP)
        time.sleep(2 * LEASE_S)
        os.kill(second.pid, signal.SIGCONT)
        reached(0.6)
        second.terminate()
        assert second.wait(timeout=20) == 0
        next_worker()
        wait_until(lambda: finished(assay), within_s=120)

        require_complete(assay, run_id, total=TOTAL)
        require_stored_once(assay)
        assert "Traceback" not in assay.log.read_text()
        # Those of the one that was killed and of the one that was stopped.
        assert requests(base_url) - TOTAL <= 2 * (CONNECTIONS + UNSTORED)


def is_known(assay: Assay, pid: int) -> bool:
    """Whether the worker has not been removed yet, which happens once its shards are taken over."""
    return any(f"-{pid}-" in name for (name,) in rows(assay, "SELECT id FROM workers"))


def require_stored_once(assay: Assay) -> None:
    """Every sample of every item, and for each one call that was answered."""
    per_item = rows(assay, "SELECT count(*), min(sample), max(sample) FROM attempts GROUP BY item_id")
    assert per_item == [(SAMPLES, 0, SAMPLES - 1)] * ITEMS
    assert rows(assay, "SELECT count(*) FROM calls WHERE status = 200") == [(TOTAL,)]
