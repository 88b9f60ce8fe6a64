"""An API that takes data sets and works on their runs, all in the process of the test."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.adapters.datasets.dataset_files import FolderDatasetFiles
from assay.adapters.datasets.library import FileDataLibrary
from assay.api.dependencies import ApiServices
from assay.domain.run import Run, RunId
from assay.domain.shard import ShardId
from assay.engine.clock import SystemClock
from assay.engine.execution.engine import Engine
from assay.engine.execution.queue import WorkerConfig
from assay.engine.execution.run_loop import execute_run
from assay.engine.execution.shards import ShardExecutor
from tests.builders import rewired
from tests.integration.serving import services
from tests.stores import memory_stores

Form = dict[str, tuple[str, bytes, str]]


def dataset_services(folder: Path, **changes: Any) -> ApiServices:
    made = services(memory_stores())
    engine = rewired(
        made.engine,
        library=FileDataLibrary(folder / "data"),
        dataset_files=FolderDatasetFiles(folder / "datasets"),
        clock=SystemClock(),
    )
    return replace(made, engine=engine, **changes)


def jsonl(lines: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def form(content: bytes, name: str = "capitals.jsonl") -> Form:
    return {"file": (name, content, "application/jsonl")}


async def executed(engine: Engine, run_id: str) -> Run:
    return await execute_run(engine, RunId(run_id))


@asynccontextmanager
async def working(engine: Engine) -> AsyncGenerator[None]:
    """Whatever is queued meanwhile is executed."""
    executor = ShardExecutor(engine)

    async def give_up(shard_id: ShardId, error: Exception) -> None:
        raise AssertionError(shard_id) from error

    work = asyncio.create_task(engine.queue.work(WorkerConfig(executor.execute, give_up, slots=4)))
    try:
        yield
    finally:
        await engine.queue.drain(grace_s=0)
        await work
        await executor.close()
