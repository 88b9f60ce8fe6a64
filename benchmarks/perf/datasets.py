"""What data sets cost: running one against running a benchmark, uploading, exporting, comparing.

    python -m benchmarks.perf.datasets [--lines 100000] [--uploaded 1000000]

Prints the rate of a run on a data set beside that of a plain run of as many attempts against the same test
endpoint at 64 connections; seconds and peak memory of an upload; seconds until an export begins and ends; and
seconds of a comparison of two models.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import uvloop

from assay.adapters.datasets.dataset_files import FolderDatasetFiles
from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.store.stores import open_stores
from assay.domain.run import RunId, RunSpec, State
from assay.engine.clock import SystemClock
from assay.engine.datasets.uploads import Upload
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.execution.run_loop import execute_run
from assay.engine.grading.offload import GradingPool
from assay.engine.grading.resources import GradingResources
from assay.engine.identity.credentials import Credentials
from assay.engine.planner import Planner
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.batch_output import output_lines
from benchmarks.perf.endpoint import CONNECTIONS, endpoint
from benchmarks.perf.throughput import assay_rate, prompts_of, write_rows

_PIECE = 1024 * 1024
_COMPARED = 5_000


def request_line(number: int, prompt: str, *, expected: str | None = "A") -> bytes:
    body = {"model": "test/letter", "messages": [{"role": "user", "content": prompt}], "temperature": 0.0}
    line = {"custom_id": f"request-{number}", "method": "POST", "url": "/v1/chat/completions", "body": body}
    if expected is not None:
        line |= {"expected": expected, "grader": "choice"}
    return json.dumps(line).encode() + b"\n"


async def dataset_rate(base_url: str, prompts: list[str], folder: Path) -> float:
    """Attempts per second of a run on a data set, and how long the export of its answers takes."""
    store = await open_stores(f"sqlite:///{folder / 'datasets.db'}")
    pool = GradingPool()
    engine = Engine(
        stores=store,
        queue=MemoryQueue(),
        models=HttpModelDirectory({}),
        clock=SystemClock(),
        planner=Planner(
            Catalogue.installed(),
            FileDataLibrary(folder / "data"),
            store.datasets,
            FolderDatasetFiles(folder / "datasets"),
        ),
        grading=GradingResources(pool),
        credentials=Credentials(store.secrets),
    )
    try:
        intake = engine.planner.dataset_files.new()
        for number, prompt in enumerate(prompts):
            intake.write(request_line(number, prompt))
        dataset, _report = await engine.uploads.store(intake, Upload("perf.jsonl"))
        intake.close()
        spec = RunSpec(
            ("openai-api/perf/test/letter",),
            (dataset.benchmark,),
            max_connections=CONNECTIONS,
            base_url=base_url,
        )
        run = await create_run(engine, spec)
        began = time.perf_counter()
        run = await execute_run(engine, RunId(run.id))
        elapsed = time.perf_counter() - began
        assert run.state is State.SUCCEEDED, run.error
        await _export(engine, run.id)
        return len(prompts) / elapsed
    finally:
        pool.close()
        await store.close()


async def _export(engine: Engine, run_id: RunId) -> None:
    began = time.perf_counter()
    (evaluation,) = await engine.stores.runs.evaluations(run_id)
    first, ids = 0.0, list[object]()
    async for line in output_lines(engine.stores.attempts, evaluation):
        first = first or time.perf_counter() - began
        ids.append(line["custom_id"])
    total = time.perf_counter() - began
    assert ids == list(evaluation.item_ids), "the order of the input was not kept"
    print(f"  export of {len(ids):,} results: first after {first:.2f} s, all after {total:.1f} s")


async def measure_run(base_url: str, lines: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = folder / "test.jsonl"
        write_rows(rows, lines)
        prompts = prompts_of(rows)
        plain = await assay_rate(base_url, rows, folder, stream=True)
        ours = await dataset_rate(base_url, prompts, folder)
    print(f"plain run {plain:,.0f}/s   data set {ours:,.0f}/s   ratio {ours / plain:.2f}")


@contextmanager
def service(home: Path) -> Generator[tuple[str, int]]:
    """`assay up` on a free port; gives its address and process id."""
    command = [sys.executable, "-m", "assay", "up", "--port", "0"]
    environment = {**os.environ, "ASSAY_HOME": str(home)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        try:
            yield said.split(" at ")[1].split("/ui/")[0], process.pid
        finally:
            process.terminate()


def peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _lines(count: int, prompt: str) -> Iterator[bytes]:
    for number in range(count):
        yield request_line(number, f"{number} {prompt}")


async def _pieces(count: int, prompt: str, boundary: str) -> AsyncIterator[bytes]:
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="big.jsonl"\r\n\r\n'
    piece = bytearray(head.encode())
    for line in _lines(count, prompt):
        piece += line
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece) + f"\r\n--{boundary}--\r\n".encode()


async def measure_service(address: str, pid: int, uploaded: int) -> None:
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(address, timeout=timeout) as client:
        before = peak_mb(pid)
        found, sent = await _uploaded(client, uploaded, "lorem ipsum " * 65)
        async with client.get("/admin/datasets") as response:
            listed = (await response.json())["datasets"]
        assert listed[0]["count"] == uploaded
        size = found["size_bytes"] / 1e9
        print(
            f"upload of {uploaded:,} lines, {size:.2f} GB: {sent:.0f} s;"
            f" peak memory {before:.0f} MB before, {peak_mb(pid):.0f} MB after"
        )
        await _compared(client)


async def _uploaded(client: aiohttp.ClientSession, count: int, prompt: str) -> tuple[dict[str, int], float]:
    boundary = "edge"
    began = time.perf_counter()
    async with client.post(
        "/admin/datasets/upload",
        data=_pieces(count, prompt, boundary),
        headers={"Content-Type": f"multipart/form-data; boundary={boundary}"},
    ) as response:
        found = await response.json(content_type=None)
        assert response.status == 200, found  # noqa: PLR2004
    return found, time.perf_counter() - began


async def _compared(client: aiohttp.ClientSession) -> None:
    found, _sent = await _uploaded(client, _COMPARED, "Which letter?")
    asked = {"models": ["sim/good", "sim/weak"], "selected_benchmarks": [found["benchmark"]]}
    async with client.post("/api/runs", json=asked) as response:
        run_id = (await response.json())["id"]
    while True:
        async with client.get(f"/api/runs/{run_id}") as response:
            if (await response.json())["status"] in {"succeeded", "failed"}:
                break
        await asyncio.sleep(0.5)
    for path in ("/api/compare/answers", "/api/compare"):
        began = time.perf_counter()
        async with client.get(path, params={"run": run_id}) as response:
            size = len(await response.read())
            assert response.status == 200  # noqa: PLR2004
        elapsed = time.perf_counter() - began
        print(f"{path} of two models on {_COMPARED:,} lines: {elapsed:.2f} s, {size:,} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--uploaded", type=int, default=1_000_000)
    asked = parser.parse_args()
    with endpoint("chunks=8") as base_url:
        uvloop.run(measure_run(base_url, asked.lines))
    with tempfile.TemporaryDirectory() as name, service(Path(name)) as (address, pid):
        uvloop.run(measure_service(address, pid, asked.uploaded))


if __name__ == "__main__":
    main()
