"""Flagged places of a text, and the nearest of them."""

import numpy as np

from assay.engine.graders.english.flags import Flags, Places

_MANY = 300_000
_SLOW = 1 / 25


def places_of(flags: Flags) -> Places:
    """As `np.flatnonzero`, which is slow where about one in twenty holds, irregularly."""
    count = int(np.count_nonzero(flags))
    if not _SLOW < count / (len(flags) + 1) <= 1 / 10:
        return np.flatnonzero(flags)
    # From a tenth on it takes another way.
    padded = np.ones(len(flags) + len(flags) // 8, np.bool_)
    padded[: len(flags)] = flags
    return np.flatnonzero(padded)[:count]


class Flagged:
    """Some places in a text of that size; after them there is always one at its end."""

    __slots__ = ("_asked", "_passed", "places")

    def __init__(self, places: Places, size: int) -> None:
        self.places: Places = np.append(places, size)
        self._passed: Places | None = None
        self._asked = 0

    @classmethod
    def of(cls, flags: Flags) -> "Flagged":
        return cls(places_of(flags), len(flags))

    def number(self, places: Places) -> Places:
        """How many there are before each place."""
        self._asked += len(places)
        if self._asked < _MANY:
            return np.searchsorted(self.places[:-1], places)
        # For many places it is faster to count through the text once.
        if self._passed is None:
            flags = np.zeros(self.places[-1] + 1, np.int8)
            flags[self.places[:-1] + 1] = 1
            self._passed = np.cumsum(flags, dtype=np.intp)
        return self._passed[places]

    def first_from(self, places: Places) -> Places:
        """The first from each place on, or the end."""
        return self.places[self.number(places)]

    def last_to(self, places: Places) -> Places:
        """The last up to each place, where there is one."""
        return self.places[self.number(places + 1) - 1]
