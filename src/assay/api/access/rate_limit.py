"""Limits how many requests a caller may make."""

import math
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from assay.api.errors import ProblemError

_MINUTE_S: Final = 60.0
# Bounds the memory; the caller who asked longest ago is forgotten first.
_MAX_CALLERS: Final = 10_000


class RateLimit:
    """So many requests per minute for each caller, of which all may come at once; None means no limit."""

    def __init__(self, per_minute: int | None, monotonic: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._monotonic = monotonic
        # When each caller has used up nothing again, if no more requests come.
        self._free_at: OrderedDict[str, float] = OrderedDict()

    def require_room(self, caller: str) -> None:
        """Count a request; raise a problem with status 429 if there are too many."""
        if self._per_minute is None:
            return
        now = self._monotonic()
        free_at = max(now, self._free_at.get(caller, now)) + _MINUTE_S / self._per_minute
        wait_s = free_at - now - _MINUTE_S
        # Rounding must not refuse the last request of a full minute.
        if wait_s > _MINUTE_S / self._per_minute / 2:
            shown_s = max(1, math.ceil(wait_s))
            raise ProblemError(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"a caller may make {self._per_minute} requests per minute; try again in {shown_s} s",
                code="too-many-requests",
                headers={"Retry-After": str(shown_s)},
            )
        self._free_at[caller] = free_at
        self._free_at.move_to_end(caller)
        if len(self._free_at) > _MAX_CALLERS:
            self._free_at.popitem(last=False)
