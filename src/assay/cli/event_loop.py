"""Runs a command's coroutine on a fast event loop."""

import asyncio
import fcntl
import signal
import threading
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeVar

from assay.cli.exit_codes import EXIT_TERMINATED
from assay.domain.errors import ConflictError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _HeldRuns:
    """Locks are those of a process, and closing the file once lets go of all: it is opened once."""

    lock: IO[bytes]
    runs: set[str] = field(default_factory=set[str])


_holding = threading.Lock()
_held: dict[Path, _HeldRuns] = {}


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
    """Hold the run for one thread of this process; the system lets go of it however the process ends."""
    # One byte of one file per run: nothing is left behind, and no unlink can race.
    offset = int(run_id[:8], 16)
    with _holding:
        if home not in _held:
            _held[home] = _HeldRuns((home / "runs.lock").open("wb"))
        held = _held[home]
        if run_id in held.runs:
            raise ConflictError(f"run {run_id[:8]!r} is being executed by this program already")
        try:
            fcntl.lockf(held.lock, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
        except OSError as error:
            _release(home)
            raise ConflictError(
                f"run {run_id[:8]!r} is being executed by another process on this machine"
            ) from error
        held.runs.add(run_id)
    try:
        yield
    finally:
        with _holding:
            fcntl.lockf(held.lock, fcntl.LOCK_UN, 1, offset)
            held.runs.remove(run_id)
            _release(home)


def _release(home: Path) -> None:
    if not _held[home].runs:
        _held.pop(home).lock.close()
