"""Flags of the characters of a text, and of those that stand next to them."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Flags: TypeAlias = NDArray[np.bool_]
Places: TypeAlias = NDArray[np.intp]
Bytes: TypeAlias = NDArray[np.uint8]

# If no more than one in so many is told by its place, that is faster than through all of the text.
_FEW = 16


def before(flags: Flags) -> Flags:
    """For each character what the one before it is."""
    moved = np.empty_like(flags)
    moved[1:] = flags[:-1]
    moved[0] = False
    return moved


def after(flags: Flags) -> Flags:
    """For each character what the one after it is."""
    moved = np.empty_like(flags)
    moved[:-1] = flags[1:]
    moved[-1] = False
    return moved


def among(characters: Bytes, wanted: bytes) -> Flags:
    found = characters == wanted[0]
    for one in wanted[1:]:
        found |= characters == one
    return found


def seconds_of_pairs(marks: Flags) -> Places:
    """The second, fourth and so on of marks that stand together."""
    are_later = marks & before(marks)
    count = int(np.count_nonzero(are_later))
    if count > len(marks) // _FEW:
        return np.flatnonzero(np.frombuffer(marks.tobytes().replace(b"\1\1", b"\2\3"), np.uint8) == 3)  # noqa: PLR2004
    later = np.flatnonzero(are_later)
    if not count:
        return later
    numbers = np.arange(count)
    are_seconds = np.diff(later, prepend=-1) != 1
    seconds = np.maximum.accumulate(np.where(are_seconds, numbers, 0))
    return later[(numbers - seconds) % 2 == 0]
