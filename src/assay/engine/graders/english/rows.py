"""Where rows of characters stop that are all of one kind."""

import numpy as np

from assay.engine.graders.english.flags import Flags, Places
from assay.engine.graders.english.passage import Codes

# Most rows are short: their ends are found without a look at the whole text.
_NEAR = 6


def row_stops(codes: Codes, start: Places, limit: Places, members: Flags) -> Places:
    """Where rows of `members` that go on from each start stop, at the latest at its limit."""
    stop = np.minimum(start, limit)
    left = np.flatnonzero(stop < limit)
    for _ in range(_NEAR):
        left = left[members[codes[stop[left]]]]
        if not left.size:
            return stop
        stop[left] += 1
        left = left[stop[left] < limit[left]]
    if left.size:
        others = np.append(np.flatnonzero(~_are_members(codes, members)), len(codes))
        stop[left] = np.minimum(others[np.searchsorted(others, stop[left])], limit[left])
    return stop


def _are_members(codes: Codes, members: Flags) -> Flags:
    if codes.dtype != np.uint8:
        return members[codes]
    return np.frombuffer(codes.tobytes().translate(members[:256].tobytes()), np.bool_)
