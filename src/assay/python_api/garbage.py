"""Gives the collector of garbage back to the caller's program as it was.

The engine excludes what it has loaded from garbage collection, and with it every other object of the process:
right for a process of its own, but a notebook would never get back the memory of its own cyclic objects.
"""

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

_lock = threading.Lock()
_thresholds: list[tuple[int, int, int]] = []
"""Of the evaluations under way in this program; the first entry is the program's own."""


@contextmanager
def callers_collection() -> Generator[None]:
    """Restore the collector when the last of the evaluations under way has ended."""
    with _lock:
        _thresholds.append(_thresholds[0] if _thresholds else gc.get_threshold())
    try:
        yield
    finally:
        with _lock:
            threshold = _thresholds.pop()
            if not _thresholds:
                gc.set_threshold(*threshold)
                gc.unfreeze()
