"""Slows down callers who try many wrong keys."""

import math
from collections import OrderedDict, deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from assay.api.errors import ProblemError

WINDOW_S: Final = 60.0
MAX_FAILURES: Final = 20
# Bounds the memory; the address that failed longest ago is forgotten first.
_MAX_ADDRESSES: Final = 10_000
_MAX_KNOWN_KEYS: Final = 1_000


class KeyThrottle:
    """Counts wrong keys by address; beyond the limit, secrets that were never right here are not compared.

    Access keys are looked up all the same, or the wrong keys of one caller could keep out another who has a
    new key: they are too long to be guessed.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._known: OrderedDict[str, None] = OrderedDict()
        # For the metrics of this process.
        self.wrong = 0
        self.refused = 0

    def require_allowed(self, address: str, key_hash: str) -> None:
        """Raise a problem with status 429 if this address has sent too many wrong keys."""
        if key_hash in self._known:
            return
        failures = self._recent(address)
        if len(failures) < MAX_FAILURES:
            return
        self.refused += 1
        wait_s = max(1, math.ceil(failures[0] + WINDOW_S - self._monotonic()))
        raise ProblemError(
            HTTPStatus.TOO_MANY_REQUESTS,
            f"{MAX_FAILURES} wrong keys came from this address within a minute; try again in {wait_s} s",
            code="too-many-wrong-keys",
            headers={"Retry-After": str(wait_s)},
        )

    def is_known(self, key_hash: str) -> bool:
        """Whether this key was right here before."""
        return key_hash in self._known

    def note_wrong(self, address: str) -> None:
        self.wrong += 1
        self._failures.setdefault(address, deque(maxlen=MAX_FAILURES)).append(self._monotonic())
        self._failures.move_to_end(address)
        if len(self._failures) > _MAX_ADDRESSES:
            self._failures.popitem(last=False)

    def note_right(self, key_hash: str) -> None:
        self._known[key_hash] = None
        self._known.move_to_end(key_hash)
        if len(self._known) > _MAX_KNOWN_KEYS:
            self._known.popitem(last=False)

    def _recent(self, address: str) -> deque[float]:
        failures = self._failures.get(address, deque[float]())
        while failures and failures[0] <= self._monotonic() - WINDOW_S:
            failures.popleft()
        return failures
