"""Attempts per second through the whole path (client, grading, durable store) against a bare aiohttp loop.

    python -m benchmarks.perf.throughput [--attempts 20000]

Prints, for replies in one piece and for streams of 32 chunks, both rates and their ratio; both loops run in
turn against the same endpoint in the same run, three times, and the median ratio counts.
"""

import argparse
import statistics
import tempfile
import time
from decimal import Decimal
from pathlib import Path

import orjson
import uvloop

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.store.stores import open_stores
from assay.domain.run import RunId, RunSpec
from assay.engine.clock import SystemClock
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.execution.run_loop import execute_run
from assay.engine.execution.shards import Observer
from assay.engine.grading.offload import GradingPool
from assay.engine.grading.resources import GradingResources
from assay.engine.identity.credentials import Credentials
from assay.engine.planner import Planner
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.plan import plan_benchmarks
from benchmarks.perf.endpoint import CONNECTIONS, bare_rate, endpoint

ROUNDS = 3
BENCHMARK = "mmlu_pro:zero_shot"


def write_rows(path: Path, count: int) -> None:
    """Questions in the official layout, made up so that each prompt differs."""
    with path.open("wb") as target:
        for number in range(count):
            row = {
                "question_id": number,
                "question": f"What is {number} plus {number % 7}? " + "Think about it. " * 20,
                "options": [str(number + offset) for offset in range(10)],
                "answer": "ABCDEFGHIJ"[number % 7],
                "answer_index": number % 7,
                "cot_content": "",
                "category": "math",
                "src": "made",
            }
            target.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))


async def assay_rate(
    base_url: str,
    rows: Path,
    folder: Path,
    *,
    stream: bool,
    samples: int = 1,
    observer: Observer | None = None,
) -> float:
    """Attempts per second from the first call to the stored summary."""
    store = await open_stores(f"sqlite:///{folder / 'perf.db'}")
    models = HttpModelDirectory({}, options=ClientOptions(stream=stream))
    library = FileDataLibrary(folder / "data")
    pool = GradingPool()
    engine = Engine(
        stores=store,
        queue=MemoryQueue(),
        models=models,
        clock=SystemClock(),
        planner=Planner(Catalogue.installed(), library, store.datasets),
        grading=GradingResources(pool),
        credentials=Credentials(store.secrets),
    )
    spec = RunSpec(
        ("openai-api/perf/test/letter",),
        (BENCHMARK,),
        samples=samples,
        data=str(rows),
        max_connections=CONNECTIONS,
        base_url=base_url,
    )
    try:
        run = await create_run(engine, spec)
        began = time.perf_counter()
        run = await execute_run(engine, RunId(run.id), observer=observer)
        elapsed = time.perf_counter() - began
        (evaluation,) = await store.runs.evaluations(run.id)
        summary = evaluation.summary
        assert summary is not None
        assert summary.scored == summary.total, (run.error, summary.outcomes)
        assert summary.cost_usd is None or summary.cost_usd >= Decimal(0)
        return summary.total / elapsed
    finally:
        pool.close()
        await store.close()


async def measure(base_url: str, attempts: int, *, stream: bool) -> None:
    ratios: list[float] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            rows = folder / "test.jsonl"
            write_rows(rows, attempts)
            bare = await bare_rate(base_url, prompts_of(rows), total=attempts, stream=stream)
            ours = await assay_rate(base_url, rows, folder, stream=stream)
        ratios.append(ours / bare)
        print(f"  bare {bare:8,.0f}/s   assay {ours:8,.0f}/s   ratio {ours / bare:.2f}")
    kind = "32 chunks streamed" if stream else "in one piece"
    print(f"{kind}: median ratio {statistics.median(ratios):.2f}")


def prompts_of(rows: Path) -> list[str]:
    """The very prompts Assay sends, so that both loops move the same bytes."""
    spec = RunSpec(("sim/null",), (BENCHMARK,), data=str(rows))
    (planned,) = plan_benchmarks(
        spec, catalogue=Catalogue.installed(), library=FileDataLibrary(rows.parent / "data")
    )
    return [planned.item_set.prompt(item).text for item in planned.items]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=20_000)
    attempts: int = parser.parse_args().attempts
    for stream in (False, True):
        with endpoint("chunks=32") as base_url:
            uvloop.run(measure(base_url, attempts // (4 if stream else 1), stream=stream))


if __name__ == "__main__":
    main()
