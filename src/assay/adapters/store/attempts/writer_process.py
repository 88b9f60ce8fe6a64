"""A process that writes large batches of attempts into SQLite.

Rows by the thousand per second keep a thread busy with the interpreter that the event loop needs: the loop
fell behind by tens of milliseconds, which was then measured as the models' latency. Here another interpreter
does that work. It only ever writes what is new; what does not go smoothly is left to the process that asked.
"""

import asyncio
import pickle
import select
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from assay.adapters.store.attempts import writing_child
from assay.adapters.store.attempts.encoding import Batch, BatchInserts
from assay.adapters.store.attempts.writing import batch_inserts
from assay.adapters.store.database.failures import full_store
from assay.adapters.store.database.reserve import Reserve
from assay.adapters.store.database.url import Location

# Handing a smaller batch over takes longer than writing it.
_LEAST_ROWS = 100
_STOP_S = 10.0


class BatchWriter:
    """Hands batches to the process, from a thread that waits until each is stored."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._thread = ThreadPoolExecutor(1, "assay-store-hand-over")
        self._process = WriterProcess(location)
        self._reserve = Reserve(location.path)

    async def write(self, batch: Batch) -> bool:
        """Whether the process has stored the batch; if not, nothing of it is stored."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._hand_over, batch)

    def _hand_over(self, batch: Batch) -> bool:
        if not self._reserve.keep():
            raise full_store(self._location)
        return self._process.write(batch)

    async def close(self) -> None:
        """Waits for what is being written."""
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        self._thread.shutdown()
        self._process.close()


class WriterProcess:
    """Started by the first large batch and used once it is ready; not for several threads at once."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self.process: subprocess.Popen[bytes] | None = None
        self._is_ready = False

    def write(self, batch: Batch) -> bool:
        """Whether the batch is stored; if not, nothing of it is."""
        if len(batch.attempts) < _LEAST_ROWS:
            return False
        if self.process is None:
            self.process = _started(str(self._location.path))
        if not self._is_ready:
            self._is_ready = _has_said(self.process, writing_child.READY)
        return self._is_ready and self._written(self.process, batch)

    def _written(self, process: subprocess.Popen[bytes], batch: Batch) -> bool:
        try:
            _send(process, batch)
            return _answer(process) == writing_child.WRITTEN
        except OSError:
            # It was killed: what it had not committed is undone, and a later batch starts another.
            self.close()
            return False

    def close(self) -> None:
        process, self.process, self._is_ready = self.process, None, False
        if process is None or process.stdin is None or process.stdout is None:
            return
        try:
            process.stdin.close()
            process.wait(_STOP_S)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        process.stdout.close()


def _started(path: str) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C is for the process that decides what is still to be stored.
    process = subprocess.Popen(  # noqa: S603 # our own module
        [sys.executable, "-m", writing_child.__name__, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    _send(process, batch_inserts("sqlite"))
    return process


def _has_said(process: subprocess.Popen[bytes], word: bytes) -> bool:
    if process.stdout is None or not select.select([process.stdout], [], [], 0)[0]:
        return False
    return _answer(process) == word


def _answer(process: subprocess.Popen[bytes]) -> bytes:
    return b"" if process.stdout is None else process.stdout.read(1)


def _send(process: subprocess.Popen[bytes], order: BatchInserts | Batch) -> None:
    if process.stdin is None:
        raise BrokenPipeError
    pickle.dump(order, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()
