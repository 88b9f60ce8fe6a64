"""Attempts per second of 1, 2 and 4 workers on one Postgres, against an endpoint of fixed latency.

    python -m benchmarks.perf.workers [--database-url postgresql://…] [--seconds 20]

Without a URL a throw-away Postgres is started. Every worker gets the same share of connections and of work,
so that twice the workers should be twice as fast: two must reach 1.8 times the rate of one, four 3.4 times.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager

from assay.adapters.store.stores import open_stores
from assay.domain.run import State
from benchmarks.perf.endpoint import endpoint
from tests.postgres import programs, running_cluster

CONNECTIONS = 32
LATENCY_S = 0.5
ITEMS = 42
LEAST_GAIN = {2: 1.8, 4: 3.4}
_PATIENCE = 6.0


@contextmanager
def database(url: str | None) -> Generator[str]:
    if url is not None:
        yield url
        return
    folder = programs()
    assert folder is not None, "install PostgreSQL, or give --database-url"
    with running_cluster(folder) as cluster:
        yield cluster.new_database()


@contextmanager
def workers(count: int, variables: Mapping[str, str]) -> Generator[None]:
    """Worker processes that have said that they are at work."""
    command = [sys.executable, "-m", "assay", "worker", "--grace", "1"]
    with ExitStack() as stack:
        started: list[subprocess.Popen[str]] = []
        for _ in range(count):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables)
            stack.enter_context(process)
            stack.callback(process.terminate)
            started.append(process)
        for process in started:
            assert process.stdout is not None
            assert "at work" in process.stdout.readline()
        yield


def submitted(base_url: str, variables: Mapping[str, str], *, samples: int, connections: int) -> str:
    command = [
        *(sys.executable, "-m", "assay", "run", "vllm/test/letter", "mmlu_pro", "--data", "demo"),
        *("--samples", str(samples), "--base-url", base_url, "--max-connections", str(connections)),
        *("--detach", "--json"),
    ]
    done = subprocess.run(command, env=variables, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["run_id"]


async def rate(url: str, run_id: str, *, within_s: float) -> float:
    """Attempts per second from the first shard to the summary."""
    store = await open_stores(url)
    try:
        deadline = time.monotonic() + within_s
        while not (run := await store.runs.get(run_id)).state.is_settled:
            assert time.monotonic() < deadline, f"not done within {within_s:g} s"
            await asyncio.sleep(0.2)
        assert run.state is State.SUCCEEDED, run.error
        assert run.started_at is not None
        assert run.finished_at is not None
        [evaluation] = await store.runs.evaluations(run.id)
        return evaluation.total_attempts / (run.finished_at - run.started_at).total_seconds()
    finally:
        await store.close()


def measure(url: str, count: int, seconds: float) -> float:
    samples = max(1, round(count * seconds * CONNECTIONS / LATENCY_S / ITEMS))
    with (
        tempfile.TemporaryDirectory() as home,
        endpoint(f"ttft_ms={LATENCY_S * 1000:g}") as base_url,
    ):
        variables = os.environ | {"ASSAY_HOME": home, "DATABASE_URL": url}
        with workers(count, variables):
            run_id = submitted(base_url, variables, samples=samples, connections=count * CONNECTIONS)
            return asyncio.run(rate(url, run_id, within_s=_PATIENCE * seconds + 30))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database-url")
    parser.add_argument("--seconds", type=float, default=20.0, help="of work for each worker")
    options = parser.parse_args()
    ideal = CONNECTIONS / LATENCY_S
    missed: list[str] = []
    with database(options.database_url) as url:
        one = measure(url, 1, options.seconds)
        print(f"1 worker:  {one:7.1f}/s ({one / ideal:.0%} of what its connections allow)")
        for count, least in LEAST_GAIN.items():
            found = measure(url, count, options.seconds)
            gain = found / one
            print(f"{count} workers: {found:7.1f}/s, {gain:.2f} times one ({found / ideal / count:.0%})")
            if gain < least:
                missed.append(f"{count} workers must be {least} times as fast as one")
    if missed:
        sys.exit("; ".join(missed))


if __name__ == "__main__":
    main()
