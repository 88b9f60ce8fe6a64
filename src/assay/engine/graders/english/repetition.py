"""Long texts that only repeat a short passage, told by fewer repeats of it."""

from collections.abc import Callable
from typing import NamedTuple

_LONGEST_PERIOD = 200
_PROBE_CHARACTERS = 2 * _LONGEST_PERIOD
_KEPT, _IN_TURN = 100, 48
LEAST_CONDENSED = 90


class Repeats(NamedTuple):
    """A passage of so many characters that stands there so many times, one after the other."""

    start: int
    period: int
    times: int


def repeats_in(text: str) -> Repeats | None:
    """What the middle of the text repeats, or one of its halves, if anything."""
    quarter = len(text) // 4
    found = (_repeats_at(text, number * quarter) for number in (2, 1, 3))
    return next(filter(None, found), None)


def _repeats_at(text: str, place: int) -> Repeats | None:
    probe = text[place : place + _PROBE_CHARACTERS]
    period = text.find(probe, place + 1, place + _LONGEST_PERIOD + len(probe)) - place
    if period < 1:
        return None
    unit = text[place : place + period]
    start = place - _most(lambda times: text.endswith(unit * times, 0, place)) * period
    return Repeats(start, period, _most(lambda times: text.startswith(unit * times, start)))


def condensed(text: str) -> str:
    """The text with fewer repeats of what it repeats most likely, be it a single mark in one long word.

    The words and sentences at its ends are the same, and so are the kinds of them that it has; only a word of
    more than `LEAST_CONDENSED` characters may be shorter. Rules that take marks two by two, one after the
    other, find as many left over.
    """
    found = repeats_in(text)
    if found is None:
        return text
    left_out = max(0, found.times - _KEPT) // _IN_TURN * _IN_TURN
    return text[: found.start] + text[found.start + left_out * found.period :]


def _most(holds: Callable[[int], bool]) -> int:
    """The largest number that it holds for, where it holds for all smaller ones."""
    upper = 1
    while holds(upper):
        upper *= 2
    lower = upper // 2
    while upper - lower > 1:
        middle = (lower + upper) // 2
        lower, upper = (middle, upper) if holds(middle) else (lower, middle)
    return lower
