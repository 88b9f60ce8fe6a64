"""A run of a million attempts: memory of the worker and the API, what pages answer, export and comparison.

    python -m benchmarks.perf.many_attempts [--items 500000] [--hours 1] [--home FOLDER]

Two simulated models that answer at once are asked each line of a data set, on SQLite, by one worker; the API
is a process of its own. Prints a line at 0, 10, 50 and 100 percent with the resident size of both and the
seconds that requests of the web UI take, then the same after the run, the comparison of both models, and
exports with the largest resident size of the command.
"""

import argparse
import contextlib
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import orjson

from benchmarks.perf.costs import ASSAY, process
from benchmarks.perf.processor_time import processor_s, resident_mb

MODELS = ("sim/good", "sim/good?seed=1&skill=0.7")
NAME = "many"
_SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
_LOOK_EVERY_S = 2.0
_FORMATS = ("zip", "jsonl")


def write_lines(path: Path, count: int) -> None:
    with path.open("wb") as target:
        for number in range(count):
            question = f"What is {number} plus {number % 7}? " + "Think about it step by step. " * 8
            line = {"prompt": question, "expected": number + number % 7, "category": f"group {number % 10}"}
            target.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


def command(variables: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run([*ASSAY, *arguments], env=variables, check=True, capture_output=True, text=True)
    return done.stdout


def seconds(address: str) -> str:
    """How long a request takes, or its error."""
    began = time.monotonic()
    try:
        with urlopen(address, timeout=600) as reply:  # noqa: S310 # our own API
            reply.read()
    except HTTPError as error:
        return f"HTTP {error.code}"
    return f"{time.monotonic() - began:.2f}"


def pages(api: str, run_id: str, items: int) -> str:
    """The requests of the list of runs, the page of a run, and its table of items."""
    of_items = f"{api}/api/runs/{run_id}/benchmarks/dataset:{NAME}@1"

    def table(**query: object) -> str:
        common = {"model": MODELS[0], "limit": 100, "brief": "true", "summary": "false"}
        return f"{of_items}?{urlencode(common | query)}"

    asked = {
        "list": f"{api}/api/runs",
        "run": f"{api}/api/runs/{run_id}",
        "items": table(),
        "middle": table(offset=items // 2),
        "wrong": table(outcome="incorrect"),
        "slowest": table(sort="-duration"),
        "found": table(search=f"is {items // 3} plus"),
        "totals": table(summary="true"),
    }
    return ", ".join(f"{name} {seconds(address)}" for name, address in asked.items())


def export(variables: Mapping[str, str], run_id: str, form: str, folder: Path) -> str:
    """Seconds, size and the largest resident size of the command."""
    target, began = folder / f"export.{form}", time.monotonic()
    arguments = [*ASSAY, "export", run_id, "--format", form, "--out", str(target)]
    exporting = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, env=variables)
    largest = 0.0
    while exporting.poll() is None:
        # The process may have ended meanwhile; its figures are gone with it.
        with contextlib.suppress(OSError, IndexError):
            largest = max(largest, resident_mb(exporting.pid))
        time.sleep(0.2)
    assert exporting.returncode == 0, f"the export as {form} failed"
    size_mb = target.stat().st_size / 2**20
    target.unlink()
    return f"{form}: {time.monotonic() - began:.1f} s, {size_mb:,.0f} MB, resident {largest:.0f} MB"


def follow(api: str, run_id: str, processes: Mapping[str, int], *, items: int, hours: float) -> None:
    """Print what is measured whenever the next share of the attempts is stored."""
    began, shares = time.monotonic(), list(_SHARES)
    attempts = items * len(MODELS)
    status = ""
    while shares:
        with urlopen(f"{api}/api/runs/{run_id}", timeout=600) as reply:  # noqa: S310 # our own API
            run = json.load(reply)
        done = sum(one["completed_items"] for one in run["benchmarks"])
        status = run["status"]
        is_over = status not in {"queued", "running"}
        if done >= shares[0] * attempts if shares[0] < 1 else is_over:
            del shares[0]
            sizes = ", ".join(f"{name} {resident_mb(one):.0f} MB" for name, one in processes.items())
            spent = ", ".join(f"{name} {processor_s(one):.0f} s" for name, one in processes.items())
            passed = time.monotonic() - began
            print(
                f"{done:,} attempts after {passed:.0f} s; resident: {sizes}; processor: {spent}", flush=True
            )
            print(f"    {pages(api, run_id, items)}", flush=True)
        assert time.monotonic() - began < hours * 3600, "the run takes too long"
        time.sleep(_LOOK_EVERY_S)
    assert status == "succeeded", status


def measure(items: int, hours: float, folder: Path) -> None:
    variables = os.environ | {"ASSAY_HOME": str(folder / "home")}
    lines = folder / "lines.jsonl"
    write_lines(lines, items)
    began = time.monotonic()
    command(variables, "datasets", "add", str(lines), "--name", NAME, "--grader", "number", "--json")
    print(f"data set of {items:,} lines added in {time.monotonic() - began:.1f} s", flush=True)
    with ExitStack() as stack:
        api_id, api = stack.enter_context(process(variables, "api", "--port", "0", ready=r"http://[^/\s]+"))
        worker_id, _ = stack.enter_context(process(variables, "worker", "--grace", "1", ready="at work"))
        began = time.monotonic()
        created = command(
            variables,
            *("run", ",".join(MODELS), f"dataset:{NAME}", "--max-connections", "64", "--detach", "--json"),
        )
        run_id = json.loads(created)["run_id"]
        print(f"run created in {time.monotonic() - began:.1f} s", flush=True)
        processes = {"worker": worker_id, "api": api_id}
        follow(api, run_id, processes, items=items, hours=hours)
        print(f"again: {pages(api, run_id, items)}", flush=True)
        print(f"compare: {seconds(f'{api}/api/compare?run={run_id}')} s", flush=True)
        print(f"api resident {resident_mb(api_id):.0f} MB", flush=True)
        for form in _FORMATS:
            print(export(variables, run_id, form, folder), flush=True)
    size_mb = (folder / "home" / "assay.db").stat().st_size / 2**20
    attempts = items * len(MODELS)
    print(f"database {size_mb:,.0f} MB, {size_mb * 2**20 / attempts:,.0f} bytes an attempt")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=500_000, help="each is asked twice")
    parser.add_argument("--hours", type=float, default=1.0, help="after which the measurement gives up")
    parser.add_argument("--home", type=Path, help="a folder to keep; by default one that is removed")
    options = parser.parse_args()
    if options.home is not None:
        options.home.mkdir(parents=True)
        measure(options.items, options.hours, options.home)
        return
    with tempfile.TemporaryDirectory() as name:
        measure(options.items, options.hours, Path(name))


if __name__ == "__main__":
    main()
