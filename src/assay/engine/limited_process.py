"""Calls functions in another process that has limits of time and memory, and that ends with its parent."""

import contextlib
import ctypes
import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
MAX_MEMORY_BYTES = 2 << 30
_START_S = 60.0
_PR_SET_PDEATHSIG = 1


class LimitExceededError(Exception):
    """The process was killed, or ended by itself, before the function returned."""


class LimitedProcess:
    """Started by the first call, and again by the next one after it was killed; takes one call at a time.

    The process also ends with the thread that made that call, because Linux ties a child to a thread.
    """

    def __init__(self, *, memory_bytes: int = MAX_MEMORY_BYTES) -> None:
        self._memory_bytes = memory_bytes
        # Kills the process: when it is called, or at the latest with this object or the interpreter.
        self._end: Callable[[], object] = lambda: None
        self._connection: Connection | None = None
        self._is_closed = False
        # Held only while the process is started, not during a call: `close` must not wait for one.
        self._lock = threading.Lock()

    def call(self, function: Callable[..., T], *arguments: object, timeout_s: float) -> T:
        """Raises what the function raises, or LimitExceededError; both must be known by name over there."""
        connection = self._connection or self._started()
        try:
            connection.send((function, arguments))
            if not connection.poll(timeout_s):
                self._kill()
                raise LimitExceededError(f"it took more than {timeout_s:g} s")
            is_returned, value = connection.recv()
        except (EOFError, OSError) as error:
            self._kill()
            raise LimitExceededError("the process for it ended unexpectedly") from error
        if is_returned:
            return value
        if isinstance(value, MemoryError):
            self._kill()
            raise LimitExceededError(f"it needed more than {self._memory_bytes >> 20:,} MiB of memory")
        raise value

    def close(self) -> None:
        """A call under way raises LimitExceededError, and so does every later one."""
        with self._lock:
            self._is_closed = True
        # The connection belongs to the thread of the call.
        self._end()

    def _started(self) -> Connection:
        with self._lock:
            if self._is_closed:
                raise LimitExceededError("the process for it was closed")
            ours, theirs = socket.socketpair()
            connection = Connection(ours.detach())
            with theirs:
                numbers = (theirs.fileno(), os.getpid(), self._memory_bytes)
                process = subprocess.Popen(  # noqa: S603 # this module, with three numbers
                    # -P: nothing is imported from the working folder.
                    [sys.executable, "-P", "-m", __name__, *map(str, numbers)],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
            self._end = weakref.finalize(self, _kill, process)
            self._connection = connection
        try:
            is_ready = connection.poll(_START_S) and connection.recv()
        except (EOFError, OSError):
            is_ready = False
        if not is_ready:
            self._kill()
            raise LimitExceededError(f"the process for it did not start within {_START_S:g} s")
        return connection

    def _kill(self) -> None:
        self._end()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _main(descriptor: int, parent: int, memory_bytes: int) -> None:
    _end_with(parent)
    # Ctrl-C goes to the whole process group: the parent decides when this process ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    # If the machine itself runs out of memory, this process is the one to end.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    with Connection(descriptor) as connection:
        connection.send("ready")
        # The end of the stream: the parent has closed it, or is gone.
        with contextlib.suppress(EOFError, OSError):
            while True:
                connection.send_bytes(_reply(connection.recv_bytes()))


def _end_with(parent: int) -> None:
    """Be killed when the parent ends, however it ends, even in the middle of a call."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit()


def _reply(request: bytes) -> bytes:
    try:
        function, arguments = pickle.loads(request)  # noqa: S301 # from the parent
        return pickle.dumps((True, function(*arguments)))
    except Exception as error:  # noqa: BLE001 # raised again in the parent
        return pickle.dumps((False, _portable(error)))


def _portable(error: Exception) -> Exception:
    """The error itself if the parent can build it again from what was pickled."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 # made here
    except Exception:  # noqa: BLE001 # whatever the class of the error does
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    _main(*map(int, sys.argv[1:]))
