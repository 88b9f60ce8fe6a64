"""Logging for times when the database is away and everything that needs it complains."""

import logging

_SAY_AGAIN_S = 10.0


class Sparing(logging.Filter):
    """Lets each complaint through once in a while."""

    def __init__(self) -> None:
        super().__init__()
        self._said_at: dict[tuple[str, int], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        place = (record.pathname, record.lineno)
        if record.created - self._said_at.get(place, 0.0) < _SAY_AGAIN_S:
            return False
        self._said_at[place] = record.created
        return True
