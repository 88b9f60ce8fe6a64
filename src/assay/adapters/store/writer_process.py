"""A process that writes large batches of attempts into SQLite.

Rows by the thousand per second keep a thread busy with the interpreter that the event loop needs: the loop
fell behind by tens of milliseconds, which was then measured as the models' latency. Here another interpreter
does that work. It only ever writes what is new; what does not go smoothly is left to the process that asked.
"""

import pickle
import select
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

from sqlalchemy.exc import SQLAlchemyError

from assay.adapters.store.batch import Batch, KeyIsStoredError, encoded, write_new
from assay.adapters.store.sqlite import BEGIN_WRITING, sqlite_engine
from assay.adapters.store.url import Location, located
from assay.domain.errors import StoreError

_READY = b"r"
_WRITTEN = b"w"
_LEFT = b"l"
# Below this a batch is written sooner than it is handed over.
_LEAST_ROWS = 100
_STOP_S = 10.0


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
            self.process = _started(self._location.path)
        if not self._is_ready:
            self._is_ready = _has_said(self.process, _READY)
        return self._is_ready and self._written(self.process, batch)

    def _written(self, process: subprocess.Popen[bytes], batch: Batch) -> bool:
        try:
            _send(process, batch)
            return _answer(process) == _WRITTEN
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


def _started(path: Path) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C is for the process that decides what is still to be stored.
    return subprocess.Popen(  # noqa: S603 # our own module
        [sys.executable, "-m", __name__, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def _has_said(process: subprocess.Popen[bytes], word: bytes) -> bool:
    if process.stdout is None or not select.select([process.stdout], [], [], 0)[0]:
        return False
    return _answer(process) == word


def _answer(process: subprocess.Popen[bytes]) -> bytes:
    return b"" if process.stdout is None else process.stdout.read(1)


def _send(process: subprocess.Popen[bytes], batch: Batch) -> None:
    if process.stdin is None:
        raise BrokenPipeError
    pickle.dump(batch, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()


def serve(path: str, orders: BinaryIO, answers: BinaryIO) -> None:
    """Write each batch that comes in, until the other side has gone."""
    engine = sqlite_engine(located(f"sqlite:///{path}"), connections=1, begin=BEGIN_WRITING)
    answers.write(_READY)
    answers.flush()
    while True:
        try:
            # Only ever from the process that started this one.
            batch: Batch = pickle.load(orders)  # noqa: S301
        except EOFError:
            break
        try:
            with engine.begin() as connection:
                write_new(connection, rows=encoded(batch, "sqlite"))
            answers.write(_WRITTEN)
        except (KeyIsStoredError, StoreError, SQLAlchemyError, sqlite3.Error):
            answers.write(_LEFT)
        answers.flush()
    engine.dispose()


if __name__ == "__main__":
    serve(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer)
