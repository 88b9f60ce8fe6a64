"""Long texts that only repeat a short passage, told by a few repeats of it."""

from typing import NamedTuple

_LONGEST_PERIOD = 200
_PROBE_CHARACTERS = 2 * _LONGEST_PERIOD
_KEPT = 8


class Shortened(NamedTuple):
    """A text that has `left_out` repeats of a passage fewer; with one of them it is `longer`."""

    text: str
    longer: str
    left_out: int


def shortened(text: str) -> Shortened:
    """Where the middle of a text repeats a passage that has a blank in it, a text with few of the repeats.

    What is decided by neighbouring words is decided alike in each repeat but the outermost.
    """
    middle = len(text) // 2
    probe = text[middle : middle + _PROBE_CHARACTERS]
    period = text.find(probe, middle + 1, middle + _LONGEST_PERIOD + len(probe)) - middle
    unit = text[middle : middle + period]
    if period < 1 or " " not in unit:
        return Shortened(text, text, 0)
    start = middle - _repeats_before(text, unit, middle) * period
    repeats = repeats_from(text, unit, start)
    left_out = repeats - _KEPT
    if left_out < 1:
        return Shortened(text, text, 0)
    rest = text[start + repeats * period :]
    kept = text[:start] + unit * _KEPT
    return Shortened(kept + rest, kept + unit + rest, left_out)


def repeats_from(text: str, unit: str, start: int) -> int:
    """How often the unit stands there, one after the other."""
    times, repeats = 1, 0
    while text.startswith(unit * times, start + repeats * len(unit)):
        repeats += times
        times *= 2
    while times > 1:
        times //= 2
        if text.startswith(unit * times, start + repeats * len(unit)):
            repeats += times
    return repeats


def _repeats_before(text: str, unit: str, stop: int) -> int:
    times, repeats = 1, 0
    while text.endswith(unit * times, 0, stop - repeats * len(unit)):
        repeats += times
        times *= 2
    while times > 1:
        times //= 2
        if text.endswith(unit * times, 0, stop - repeats * len(unit)):
            repeats += times
    return repeats
