"""Texts as arrays of code points, for questions about each of their characters or words.

What a mask holds of is taken by its places: indexing with an irregular mask is several times slower.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.engine.graders.english.characters import OTHER_WORD_CHARACTERS, WORD_CATEGORIES
from assay.engine.graders.english.flags import Flags, Places

Codes: TypeAlias = NDArray[np.uint32]

_CODE_POINTS = 0x110000
# Higher planes have no letters, digits or blanks, and of marks that belong to words these alone.
_PLANES_WITH_LETTERS = 0x40000
_SELECTORS = slice(0xE0100, 0xE01F0)
_IDEOGRAPHS = 0x20000
_LOWERED_BY_CONTEXT_OR_TO_TWO = "Σİ"


class Runs(NamedTuple):
    """Where stretches of a text start and end, one after the other."""

    starts: Places
    ends: Places

    @property
    def lengths(self) -> Places:
        return self.ends - self.starts

    def chosen(self, numbers: "Places | slice[int | None, int | None]") -> "Runs":
        return Runs(self.starts[numbers], self.ends[numbers])

    def filled(self) -> "Runs":
        """Those that are not empty."""
        return self.chosen(np.flatnonzero(self.starts < self.ends))


def codes_of(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def lower_codes_of(text: str) -> Codes:
    """Those of `text.lower()`, which is slow where a text is not ASCII."""
    if text.isascii() or any(letter in text for letter in _LOWERED_BY_CONTEXT_OR_TO_TWO):
        return codes_of(text.lower())
    return _lower().take(codes_of(text))


def text_of(codes: Codes) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def are_blanks(codes: Codes) -> Flags:
    """Those that `str.split` parts words at."""
    return _matching(r"\s+").take(codes)


def are_digits(codes: Codes) -> Flags:
    return _matching(r"\d+").take(codes)


def are_digits_of_any_kind(codes: Codes) -> Flags:
    """Those that `str.isdigit` holds of, such as superscripts."""
    return _digits_of_any_kind().take(codes)


def are_alphanumeric(codes: Codes) -> Flags:
    r"""Those that `\w` of `re` matches."""
    return _matching(r"\w+").take(codes)


def are_word_characters(codes: Codes) -> Flags:
    """Those of which `is_word_character` holds."""
    return _word_characters().take(codes)


def runs_of(mask: Flags) -> Runs:
    """The unbroken runs of what holds."""
    padded = np.zeros(len(mask) + 2, np.bool_)
    padded[1:-1] = mask
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return Runs(edges[::2], edges[1::2])


def trimmed(runs: Runs, are_kept: Flags) -> Runs:
    """The runs without what is not kept at their ends; those that keep nothing are empty."""
    opening, closing = ~are_kept[runs.starts], ~are_kept[runs.ends - 1]
    if not opening.any() and not closing.any():
        return runs
    # Most have one at most that is not kept, before or behind.
    ends = runs.ends - closing
    starts = np.minimum(runs.starts + opening, ends)
    outer = np.flatnonzero(starts < ends)
    outer = outer[np.flatnonzero(~(are_kept[starts[outer]] & are_kept[ends[outer] - 1]))]
    if outer.size:
        kept, before = np.append(np.flatnonzero(are_kept), 0), counts_before(are_kept)
        first, beyond = before[starts[outer]], before[ends[outer]]
        ends[outer] = np.where(first < beyond, kept[beyond - 1] + 1, starts[outer])
        starts[outer] = np.where(first < beyond, kept[first], starts[outer])
    return Runs(starts, ends)


def outer_words(runs: Runs, whole: Runs, are_blank: Flags) -> tuple[Runs, Runs]:
    """The first and the last word of each run; they go on to the ends of what it was trimmed from."""
    blanks = np.concatenate(([-1], np.flatnonzero(are_blank), [len(are_blank)]))
    before = counts_before(are_blank)
    first = Runs(runs.starts, np.minimum(blanks[before[runs.starts] + 1], whole.ends))
    last = Runs(np.maximum(blanks[before[runs.ends]] + 1, whole.starts), runs.ends)
    return first, last


def run_count(mask: Flags) -> int:
    return int(np.count_nonzero(mask[1:] > mask[:-1])) + bool(mask[:1].any())


def counts_before(mask: Flags) -> NDArray[np.int32]:
    """How many hold before each place, and before the end."""
    counts = np.zeros(len(mask) + 1, np.int32)
    np.cumsum(mask, dtype=np.int32, out=counts[1:])
    return counts


def ascii_table(members: str) -> Flags:
    """For `among`."""
    table = np.zeros(129, np.bool_)
    table[[ord(member) for member in members]] = True
    return table


def among(codes: Codes, table: Flags) -> Flags:
    """Which are one of the ASCII characters of a table."""
    return table.take(codes, mode="clip")


@cache
def _matching(pattern: str) -> Flags:
    matching = np.zeros(_CODE_POINTS, np.bool_)
    for run in re.finditer(pattern, _characters(_PLANES_WITH_LETTERS)):
        matching[run.start() : run.end()] = True
    return matching


@cache
def _lower() -> Codes:
    codes = np.arange(_CODE_POINTS, dtype=np.uint32)
    codes[:_IDEOGRAPHS] = [ord(character.lower()[0]) for character in _characters(_IDEOGRAPHS)]
    return codes


@cache
def _digits_of_any_kind() -> Flags:
    digits = np.zeros(_CODE_POINTS, np.bool_)
    digits[:_IDEOGRAPHS] = list(map(str.isdigit, _characters(_IDEOGRAPHS)))
    return digits


@cache
def _word_characters() -> Flags:
    belong = _matching(r"\w+").copy()
    categories = map(unicodedata.category, _characters(_IDEOGRAPHS))
    belong[:_IDEOGRAPHS] = list(map(WORD_CATEGORIES.__contains__, categories))
    belong[list(map(ord, OTHER_WORD_CHARACTERS))] = True
    belong[_SELECTORS] = True
    return belong


def _characters(count: int) -> str:
    return text_of(np.arange(count, dtype=np.uint32))
