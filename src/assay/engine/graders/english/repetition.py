"""Long texts that only repeat a short passage, told by a few repeats of it."""

from typing import NamedTuple

_LONGEST_PERIOD = 200
_PROBE_CHARACTERS = 2 * _LONGEST_PERIOD
_KEPT = 8
_KEPT_MARKS, _IN_TURN = 100, 48
LEAST_CONDENSED = 90


class Shortened(NamedTuple):
    """A text that has `left_out` repeats of a passage fewer; with one of them it is `longer`."""

    text: str
    longer: str
    left_out: int


class _Repeats(NamedTuple):
    unit: str
    start: int
    times: int


def shortened(text: str) -> Shortened:
    """Where the middle of a text repeats a passage that has a blank in it, a text with few of the repeats.

    What is decided by neighbouring words is decided alike in each repeat but the outermost.
    """
    found = _repeats(text)
    if found is None or " " not in found.unit or found.times <= _KEPT:
        return Shortened(text, text, 0)
    left_out = found.times - _KEPT
    return Shortened(_less(text, found, left_out), _less(text, found, left_out - 1), left_out)


def condensed(text: str) -> str:
    """The text with fewer repeats of what its middle repeats, be it a single mark in one long word.

    The words and sentences at its ends are the same, and so are the kinds of them that it has; only a word of
    more than `LEAST_CONDENSED` characters may be shorter. Rules that take marks two by two, one after the
    other, find as many left over.
    """
    return condensed_by(text).text


def condensed_by(text: str) -> Shortened:
    """The condensed text, which lacks so many times what it has less than `longer`."""
    found = _repeats(text)
    left_out = max(0, found.times - _KEPT_MARKS) // _IN_TURN if found else 0
    if found is None or not left_out:
        return Shortened(text, text, 0)
    shorter, longer = (_less(text, found, times * _IN_TURN) for times in (left_out, left_out - 1))
    return Shortened(shorter, longer, left_out)


def with_condensed_word(text: str) -> str:
    """The same where the repeats are within a word, so that there are as many words and sentences."""
    found = _repeats(text)
    return text if found is None or any(map(str.isspace, found.unit)) else condensed(text)


def _repeats(text: str) -> _Repeats | None:
    middle = len(text) // 2
    probe = text[middle : middle + _PROBE_CHARACTERS]
    period = text.find(probe, middle + 1, middle + _LONGEST_PERIOD + len(probe)) - middle
    if period < 1:
        return None
    unit = text[middle : middle + period]
    start = middle - _repeats_before(text, unit, middle) * period
    return _Repeats(unit, start, repeats_from(text, unit, start))


def _less(text: str, repeats: _Repeats, left_out: int) -> str:
    return text[: repeats.start] + text[repeats.start + left_out * len(repeats.unit) :]


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
