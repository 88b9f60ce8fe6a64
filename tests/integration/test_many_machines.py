"""Workers on machines that share nothing but a database and an object store."""

import json
import random
import subprocess
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.cli import Assay
from tests.integration.fleet import ended, finished, is_at_work, rows, wait_until
from tests.integration.machines import Machine, machines
from tests.postgres import Cluster
from tests.s3 import S3Server, running_s3

COUNT = 45
LONG = random.Random(0).randbytes(50_000).hex()  # noqa: S311 # the same each time
TASKS = "python_bugfix_interval_overlap,python_bugfix_prime_checker"
_COUNTED = (
    "SELECT benchmark, model, outcome, count(*) FROM attempts"
    " JOIN evaluations ON evaluations.id = attempts.evaluation_id GROUP BY 1, 2, 3"
)
MODELS = ("sim/oracle", "sim/oracle?seed=2")


@pytest.fixture(scope="module")
def s3() -> Generator[S3Server]:
    with running_s3() as server:
        yield server


@pytest.mark.postgres
def test_two_machines_finish_runs_on_a_data_set_and_on_code(
    tmp_path: Path, postgres: Cluster, s3: S3Server
) -> None:
    bucket, database = s3.new_bucket(), postgres.new_database()
    here = Assay(tmp_path / "api", (("DATABASE_URL", database), *s3.variables(bucket).items()))
    added = here.json("datasets", "add", str(sums(tmp_path)), "--grader", "number")
    assert (added["benchmark"], added["graded"]) == ("dataset:sums@1", COUNT)
    with ExitStack() as stack:
        remote = stack.enter_context(machines(2, hidden=tmp_path, ports=(postgres.port, s3.port)))
        workers: list[subprocess.Popen[str]] = []
        for machine, model in zip(remote, MODELS, strict=True):
            url = database.replace("127.0.0.1", machine.gateway)
            variables = s3.variables(bucket, host=machine.gateway) | {"DATABASE_URL": url}
            workers.append(worker_on(machine, variables, model=model))
            stack.callback(ended, workers[-1])
        models = ",".join(MODELS)
        here.json("run", models, "code_catalogue", "--item", TASKS, "--detach")
        run_id = here.json("run", models, "dataset:sums", "--detach")["run_id"]
        assert all(map(is_at_work, workers))
        wait_until(lambda: finished(here), within_s=300)
        for worker in workers:
            # Of the folders of this machine, each has its own in their place.
            assert [path.name for path in Path(f"/proc/{worker.pid}/root{tmp_path}").iterdir()] == ["home"]
    # Each worker takes the shards of one model: both have read the lines, and both have run code.
    counts = {"code_catalogue": 2, "dataset:sums@1": COUNT}
    expected = [
        (benchmark, model, "correct", count) for benchmark, count in counts.items() for model in MODELS
    ]
    assert sorted(rows(here, _COUNTED)) == expected
    assert rows(here, "SELECT count(*) FROM blobs WHERE object_id IS NOT NULL") == [(1,)]
    exported = here("export", run_id, "--format", "jsonl", "--out", "-")
    assert exported.stdout.count(LONG) == len(MODELS), exported.stderr
    assert rows(here, "SELECT DISTINCT state FROM evaluations") == [("succeeded",)]


def sums(folder: Path) -> Path:
    path = folder / "sums.jsonl"
    # One is too long for the database.
    lines = (
        {"custom_id": f"n{n}", "prompt": f"{n} + 1 {'' if n else LONG}", "expected": n + 1}
        for n in range(COUNT)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def worker_on(machine: Machine, variables: Mapping[str, str], *, model: str) -> subprocess.Popen[str]:
    assay = Assay(machine.folder / "home", tuple(variables.items()))
    with (machine.folder / f"{machine.namespace}.log").open("w") as log:
        return subprocess.Popen(
            machine.command(assay.command(["worker", "--only-model", model])),
            env=assay.environment(),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
