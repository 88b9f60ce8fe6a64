"""What one attempt costs: processor time in workers, database and API, bytes stored, connections.

    python -m benchmarks.perf.costs [--attempts 40000] [--workers 1,2,4,8] [--rounds 3] [--http]

Each row is one run of a simulated model that answers at once, executed by so many workers on a throw-away
PostgreSQL, or by one on SQLite, while the API is asked for the run once a second. Processor time counts from
the run's creation to its end, after a smaller run, so that what programs do once when they start is left out.
Of several rounds the one with the least time counts, because other programs on the machine only ever add to
it. Eight workers must not use more than 1.3 times the time of one.
"""

import argparse
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import psycopg

from benchmarks.perf.endpoint import endpoint
from benchmarks.perf.processor_time import processor_s
from benchmarks.perf.throughput import BENCHMARK, write_rows
from tests.postgres import programs, running_cluster

MOST_TIMES = 1.3
_PATIENCE_S = 900.0
_IDLE_S = 5.0
_WARM_UP = 2_000
ASSAY = (sys.executable, "-m", "assay")
_SIZES = """
    SELECT sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid))
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname = 'public'
"""
_SQLITE_SIZES = """
    SELECT coalesce(type, 'table'), sum(pgsize)
    FROM dbstat LEFT JOIN sqlite_schema USING (name) WHERE aggregate = TRUE GROUP BY 1
"""
_ACTIVITY = """
    SELECT (SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()),
           (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A PostgreSQL."""

    url: str
    process_id: int

    def row(self, query: str) -> tuple[int, ...]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            found = connection.execute(query.encode()).fetchone()
        assert found is not None
        return tuple(int(value or 0) for value in found)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one attempt costs; times are in milliseconds."""

    database: str
    workers: int
    worker_ms: float
    database_ms: float
    api_ms: float
    table_bytes: float
    index_bytes: float
    transactions: float
    connections: int
    idle_ms_per_s: float
    wall_s: float

    @property
    def total_ms(self) -> float:
        return self.worker_ms + self.database_ms + self.api_ms


@contextmanager
def process(variables: Mapping[str, str], *command: str, ready: str) -> Generator[tuple[int, str]]:
    """An `assay` process that has printed a line that matches `ready`; gives its id and what matched."""
    with subprocess.Popen([*ASSAY, *command], stdout=subprocess.PIPE, text=True, env=variables) as started:
        assert started.stdout is not None
        found = re.search(ready, started.stdout.readline())
        assert found, f"assay {command[0]} did not start"
        try:
            yield started.pid, found[0]
        finally:
            started.terminate()


def submitted(variables: Mapping[str, str], base_url: str | None, rows: Path, *options: str) -> str:
    model = ("sim/good",) if base_url is None else ("openai-api/perf/test/letter", "--base-url", base_url)
    command = [
        *(*ASSAY, "run", model[0], BENCHMARK, *model[1:], "--data", str(rows), *options),
        *("--max-connections", "64", "--detach", "--json"),
    ]
    done = subprocess.run(command, env=variables, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["run_id"]


def finish(address: str, run_id: str, look: Callable[[], None]) -> None:
    """Ask for the run once a second until it has succeeded, and `look` each time."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        with urlopen(f"{address}/api/runs/{run_id}", timeout=60) as reply:  # noqa: S310 # our own API
            state = json.load(reply)["status"]
        if state not in {"queued", "running"}:
            break
        assert time.monotonic() < deadline, "the run takes too long"
        look()
        time.sleep(1)
    assert state == "succeeded", state


def measure(count: int, options: argparse.Namespace, server: Server | None) -> Cost:
    items, attempts = options.items, options.attempts
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        home = Path(name)
        rows = home / "rows.jsonl"
        write_rows(rows, items)
        variables = os.environ | {"ASSAY_HOME": name}
        variables |= {"DATABASE_URL": server.url} if server else {}
        api, address = stack.enter_context(process(variables, "api", "--port", "0", ready=r"http://[^/\s]+"))
        workers = [
            stack.enter_context(process(variables, "worker", "--grace", "1", ready="at work"))[0]
            for _ in range(count)
        ]

        def times() -> tuple[float, float, float]:
            in_database = processor_s(server.process_id) if server else 0.0
            return sum(map(processor_s, workers)), in_database, processor_s(api)

        # What a process does once: compiling statements, connecting to the database.
        base_url = stack.enter_context(endpoint("chunks=32")) if options.http else None
        first = submitted(variables, base_url, rows, "--count", str(_WARM_UP))
        finish(address, first, lambda: None)
        idle = times()
        time.sleep(_IDLE_S)
        idle_s = (sum(times()) - sum(idle)) / _IDLE_S
        bytes_before, commits = stored_bytes(home, server), server.row(_ACTIVITY)[1] if server else 0
        connections: list[int] = []
        run_id = submitted(variables, base_url, rows, "--samples", str(attempts // items))
        before, began = times(), time.monotonic()
        finish(address, run_id, lambda: connections.append(server.row(_ACTIVITY)[0] if server else 0))
        wall_s = time.monotonic() - began
        spent = [(now - then) * 1000 / attempts for now, then in zip(times(), before, strict=True)]
        commits = (server.row(_ACTIVITY)[1] if server else 0) - commits
        table, index = (
            now - then for now, then in zip(stored_bytes(home, server), bytes_before, strict=True)
        )
        return Cost(
            "PostgreSQL" if server else "SQLite",
            count,
            *spent,
            table_bytes=table / attempts,
            index_bytes=index / attempts,
            transactions=commits / attempts,
            connections=max(connections),
            idle_ms_per_s=idle_s * 1000,
            wall_s=wall_s,
        )


def stored_bytes(home: Path, server: Server | None) -> tuple[int, int]:
    """The bytes of all tables, and those of their indexes."""
    if server is not None:
        table, index = server.row(_SIZES)
        return table, index
    with sqlite3.connect(home / "assay.db") as connection:
        sizes = dict(connection.execute(_SQLITE_SIZES).fetchall())
    return sizes["table"], sizes["index"]


def least(
    counts: list[int], options: argparse.Namespace, server_of: Callable[[], Server | None]
) -> list[Cost]:
    """The cheapest of several rounds for each number of workers; rounds take turns, as the load changes."""
    found: dict[int, Cost] = {}
    for _ in range(options.rounds):
        for count in counts:
            cost = measure(count, options, server_of())
            print(line(cost), file=sys.stderr, flush=True)
            if count not in found or cost.total_ms < found[count].total_ms:
                found[count] = cost
    return [found[count] for count in counts]


HEAD = (
    "| database | workers | CPU worker ms | database ms | API ms | together ms | table bytes | index bytes"
    " | transactions | connections | idle ms/s | seconds |\n|" + "---|" * 12
)


def line(cost: Cost) -> str:
    times = cost.worker_ms, cost.database_ms, cost.api_ms, cost.total_ms
    figures = [
        cost.database,
        str(cost.workers),
        *(f"{one:.3f}" for one in times),
        f"{cost.table_bytes:,.0f}",
        f"{cost.index_bytes:,.0f}",
        f"{cost.transactions:.3f}",
        str(cost.connections),
        f"{cost.idle_ms_per_s:.0f}",
        f"{cost.wall_s:.0f}",
    ]
    return f"| {' | '.join(figures)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--attempts", type=int, default=40_000)
    parser.add_argument("--items", type=int, default=20_000, help="of which the attempts are samples")
    parser.add_argument("--workers", default="1,2,4,8")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--http", action="store_true", help="ask an endpoint, for streams of 32 chunks")
    parser.add_argument("--postgres", action="store_true", help="leave SQLite out")
    options = parser.parse_args()
    counts = [int(count) for count in options.workers.split(",")]
    folder = programs()
    assert folder is not None, "install PostgreSQL for these figures"
    on_sqlite = [] if options.postgres else least([1], options, lambda: None)
    with running_cluster(folder, "autovacuum=on") as cluster:
        process_id = int((cluster.folder / "data" / "postmaster.pid").read_text().split()[0])
        costs = least(counts, options, lambda: Server(cluster.new_database(), process_id))
    print(HEAD, *map(line, on_sqlite + costs), sep="\n")
    times = costs[-1].total_ms / costs[0].total_ms
    print(f"{counts[-1]} workers use {times:.2f} times the processor time of {counts[0]} for an attempt")
    if times > MOST_TIMES:
        sys.exit(f"it must be at most {MOST_TIMES} times")


if __name__ == "__main__":
    main()
