"""A worker as a process of its own."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncGenerator

import orjson
import typer

from assay.bootstrap import opened_engine
from assay.cli.event_loop import run_async
from assay.cli.service.logs import set_up_logs
from assay.cli.service.workers import sole_worker, worker_loop
from assay.domain.errors import StoreError
from assay.engine.execution.queue import Lane
from assay.engine.loop_watchdog import LoopWatchdog
from assay.settings import load_settings
from assay.worker.loop import WorkerLoop


def run_worker(*, concurrency: int | None, grace_s: float, health_port: int | None, lane: Lane) -> None:
    settings = load_settings()
    set_up_logs(settings)

    async def work() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        async with opened_engine(settings, is_shared=True) as engine:
            with sole_worker(settings) as worker_id:
                worker = worker_loop(
                    settings, engine, slots=concurrency, grace_s=grace_s, worker_id=worker_id, lane=lane
                )
                watchdog = LoopWatchdog()
                async with watchdog.watching(), _answering(worker, watchdog, health_port):
                    typer.echo(f"worker {worker.worker_id} is at work (stop with Ctrl-C)")
                    await worker.run(stop)
            if worker.is_overtaken:
                raise StoreError(
                    "a later version of Assay has upgraded the database: this worker has finished what it"
                    " had; start one of that version"
                )

    run_async(work())


@contextlib.asynccontextmanager
async def _answering(worker: WorkerLoop, watchdog: LoopWatchdog, port: int | None) -> AsyncGenerator[None]:
    """Answer any request with the worker's state: what hosting platforms probe."""
    if port is None:
        yield
        return

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        state = {"status": "healthy", "worker": worker.worker_id, "running": worker.running}
        body = orjson.dumps(state | {"event_loop_blocked": watchdog.blocked_count})
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        writer.write(head.encode() + b"Connection: close\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", port):
        yield
