from assay.domain.run import RunId
from assay.engine.stores.fleet import Worker
from assay.worker.shares import endpoint_shares
from tests.builders import NOON

A, B = RunId("a"), RunId("b")
HERE, THERE = "http://here/v1", "http://there/v1"


def worker(**endpoints: int) -> Worker:
    named = {{"here": HERE, "there": THERE}[name]: count for name, count in endpoints.items()}
    return Worker("w", "host", started_at=NOON, slots=4, endpoints=named)


def test_one_run_of_one_worker_has_all() -> None:
    assert endpoint_shares(10, {(A, HERE): 0}, []) == {(A, HERE): 10}


def test_workers_with_calls_there_divide_evenly() -> None:
    others = [worker(here=3), worker(here=0, there=5), worker(there=1)]
    shares = endpoint_shares(12, {(A, HERE): 2, (A, THERE): 2}, others)
    assert shares == {(A, HERE): 6, (A, THERE): 4}


def test_runs_of_one_worker_divide_its_share() -> None:
    assert endpoint_shares(12, {(A, HERE): 3, (B, HERE): 1}, []) == {(A, HERE): 6, (B, HERE): 6}


def test_a_run_that_is_over_needs_no_share_and_a_new_one_gets_its_own() -> None:
    assert endpoint_shares(12, {(A, HERE): 0, (B, HERE): 5}, []) == {(A, HERE): 6, (B, HERE): 12}


def test_every_run_can_begin() -> None:
    others = [worker(here=1) for _ in range(5)]
    assert endpoint_shares(2, {(A, HERE): 0}, others) == {(A, HERE): 1}
