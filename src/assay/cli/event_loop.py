"""Runs a command's coroutine on a fast event loop."""

import asyncio
import fcntl
import signal
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from assay.cli.exit_codes import EXIT_TERMINATED
from assay.domain.errors import ConflictError

T = TypeVar("T")


def run_async(work: Coroutine[object, object, T]) -> T:
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(work)


def run_until_stopped(work: Coroutine[object, object, T]) -> T:
    """SIGTERM cancels the work as Ctrl-C does, so that it can end in order; the process exits with 143."""

    async def stoppable() -> T:
        task = asyncio.create_task(work)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await task

    try:
        return run_async(stoppable())
    except asyncio.CancelledError:
        raise SystemExit(EXIT_TERMINATED) from None


def _loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # does not exist on every platform
        return None
    return uvloop.Loop


@contextmanager
def only_executor(home: Path, run_id: str) -> Generator[None]:
    """Hold the run for this process; the system lets go of it however the process ends."""
    # One byte of one file per run: nothing is left behind, and no unlink can race.
    offset = int(run_id[:8], 16)
    with (home / "runs.lock").open("wb") as lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
        except OSError as error:
            raise ConflictError(
                f"run {run_id[:8]!r} is being executed by another process on this machine"
            ) from error
        yield
