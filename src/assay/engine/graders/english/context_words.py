"""The kinds of words around a mark: all of a kind are judged alike when sentence ends are looked for."""

import string
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.engine.graders.english.alike import fingerprints
from assay.engine.graders.english.characters import is_word_character
from assay.engine.graders.english.flags import Flags, Places
from assay.engine.graders.english.packed import PACKED, Numbers
from assay.engine.graders.english.passage import (
    CHARACTERS,
    COMMA,
    DECIMAL,
    HYPHEN,
    PERIOD,
    PUNCTUATION,
    Codes,
    Passage,
)
from assay.engine.graders.english.sentences import parameters

Kinds: TypeAlias = NDArray[np.int64]

# Each single letter, and each first letter of an unknown word, is a kind by itself.
UNCLEAR, NONE, _NUMBER, ABBREVIATION, _SINGLE = -1, 0, 1, 2, 16
_TABLE_BITS = 20


def kinds_of_words(passage: Passage, word: Places, place: Places) -> Kinds:
    """What the words from `word` to `place` are."""
    kind = np.zeros(len(word), np.int64)
    length = place - word
    kind[_abbreviated(passage, word, place)] = ABBREVIATION
    single = np.flatnonzero(length == 1)
    kind[single] = _kinds_of_letters(passage.codes[word[single]])
    numeric = np.flatnonzero((length > 0) & _are_numeric(passage, word, place))
    opening = word[numeric] + (passage.codes[word[numeric]] == PERIOD)
    kind[numeric] = np.where(passage.is_at(opening, DECIMAL), _NUMBER, UNCLEAR)
    return kind


def _kinds_of_letters(codes: Codes) -> Kinds:
    """Initials are of as many kinds as they are judged in ways; what is no letter is none."""
    kinds = _letters()
    new = codes[kinds[codes] == UNCLEAR]
    for code in np.unique(new).tolist():
        kinds[code] = _SINGLE + code if is_word_character(chr(code)) else NONE
    return kinds[codes]


@cache
def _letters() -> Kinds:
    english = parameters()
    kinds = np.full(CHARACTERS, UNCLEAR, np.int64)
    collocated = {first for first, _ in english.collocations}
    for letter in string.ascii_lowercase:
        example = letter if letter in collocated else "n" if letter in english.abbreviations else "z"
        kinds[[ord(letter), ord(letter.upper())]] = _SINGLE + ord(example)
    return kinds


def _are_numeric(passage: Passage, start: Places, stop: Places) -> Flags:
    """Whether there is nothing but digits, periods, commas and hyphens."""
    codes = passage.codes[start]
    numeric = passage.is_at(start, DECIMAL) | (codes == PERIOD) | (codes == HYPHEN) | (codes == COMMA)
    chosen = np.flatnonzero(numeric)
    if chosen.size:
        numeric[chosen] = passage.numeric_stops.first_from(start[chosen]) + 1 >= stop[chosen]
    return numeric


def _abbreviated(passage: Passage, word: Places, place: Places) -> Places:
    """Which of the words are abbreviations, or are so behind their last hyphen."""
    endings, known = _abbreviations()
    left = np.flatnonzero(place - word > 1)
    packed = passage.packed_lower(place[left] - PACKED)
    may_be = np.flatnonzero(endings[packed >> np.uint64(48)])
    left, packed = left[may_be], packed[may_be]
    found: list[Places] = []
    for length in range(1, PACKED):
        before = place[left] - length - 1
        starts = (before < word[left]) | (passage.codes[before] == HYPHEN)
        whole, longer = np.flatnonzero(starts), np.flatnonzero(~starts)
        spelt = packed[whole] >> np.uint64(8 * (PACKED - length))
        found.append(left[whole[known[np.searchsorted(known, spelt) % len(known)] == spelt]])
        left, packed = left[longer], packed[longer]
    return np.concatenate(found)


@cache
def _abbreviations() -> tuple[Flags, Numbers]:
    """Their last two characters, for single ones with the hyphen that may be before them, and all of them."""
    words = [word for word in parameters().abbreviations if " " not in word]
    endings = np.zeros(1 << 16, np.bool_)
    endings[[int.from_bytes(f"-{word}"[-2:].encode("ascii"), "little") for word in words]] = True
    return endings, np.array(
        sorted(int.from_bytes(word.encode("ascii"), "little") for word in words), np.uint64
    )


def kinds_of_following(passage: Passage, start: Places, stop: Places) -> Kinds:
    """Numbers are alike, and unknown words with the same first letter; what is neither is unclear."""
    kind = np.full(len(start), UNCLEAR, np.int64)
    plain_stop = passage.word_stops.first_from(start)
    words = np.flatnonzero((plain_stop > start) & (stop - plain_stop <= 1))
    known = _known()[fingerprints(passage, start[words], plain_stop[words], _TABLE_BITS)]
    unknown = words[np.flatnonzero(~known)]
    kind[unknown] = _SINGLE + passage.codes[start[unknown]].astype(np.int64)
    numeric = np.flatnonzero(passage.is_at(start, DECIMAL))
    # A mark behind the number is a token by itself, unless there is a period between them.
    marked = passage.is_at(stop[numeric] - 1, PUNCTUATION) & (passage.codes[stop[numeric] - 2] != PERIOD)
    number_stop = stop[numeric] - marked
    is_number = _are_numeric(passage, start[numeric], number_stop)
    is_number &= passage.doubled.first_from(start[numeric]) >= number_stop
    kind[numeric[is_number]] = _NUMBER
    return kind


@cache
def _known() -> Flags:
    english = parameters()
    seconds = {second for _, second in english.collocations}
    words = sorted(english.casing.keys() | english.abbreviations | english.openers | seconds)
    stops = np.cumsum([len(word) for word in words])
    starts = np.concatenate(([0], stops[:-1]))
    table = np.zeros(1 << _TABLE_BITS, np.bool_)
    table[fingerprints(Passage("".join(words)), starts, stops, _TABLE_BITS)] = True
    return table
