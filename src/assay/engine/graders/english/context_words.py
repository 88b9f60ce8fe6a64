"""The kinds of words around a mark: all of a kind are judged alike when sentence ends are looked for."""

import string
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.engine.graders.english.characters import is_word_character
from assay.engine.graders.english.code_points import are_digits
from assay.engine.graders.english.flags import Flags, Places
from assay.engine.graders.english.known_words import ABBREVIATED, UNKNOWN, UNTOLD, uses_of
from assay.engine.graders.english.packed import PACKED, Numbers
from assay.engine.graders.english.passage import (
    CHARACTERS,
    COMMA,
    DECIMAL,
    HYPHEN,
    IS_SINGLE,
    ODD,
    PERIOD,
    PUNCTUATION,
    QUOTE,
    Codes,
    Passage,
)
from assay.engine.graders.english.rows import row_stops
from assay.engine.graders.english.sentences import parameters

Kinds: TypeAlias = NDArray[np.int64]

# Each single letter, and each first letter beyond ASCII, is a kind by itself.
UNCLEAR, NONE, _NUMBER, ABBREVIATION, _SINGLE = -1, 0, 1, 2, 16
# What counts of a letter of ASCII is its case.
_CASES = np.array([ord("A" if chr(c).isupper() else "a" if chr(c).islower() else "0") for c in range(128)])


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
    numeric = _numeric()[passage.codes[start]]
    chosen = np.flatnonzero(numeric)
    row = row_stops(passage.codes, start[chosen], stop[chosen], _numeric())
    numeric[chosen] = row == stop[chosen]
    return numeric


@cache
def _numeric() -> Flags:
    numeric = are_digits(np.arange(CHARACTERS, dtype=np.uint32))
    numeric[[PERIOD, HYPHEN, COMMA]] = True
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


def kinds_of_following(passage: Passage, start: Places, stop: Places) -> tuple[Kinds, Places]:
    """Numbers are alike, and words used alike with first letters of one case; what is neither is unclear.

    Also where that stops of which all that matters can be told: where no sentence ends behind it, the first
    token.
    """
    is_alone = passage.ends.first_from(start) >= stop - 1
    word_stop, token_stop = _stops(passage, start, stop)
    kind = np.full(len(start), UNCLEAR, np.int64)
    words = np.flatnonzero((word_stop > start) & ((stop - word_stop <= 1) | (is_alone & (token_stop < stop))))
    kind[words] = _kinds_by_use(passage, start[words], word_stop[words])
    numeric = np.flatnonzero(passage.is_at(start, DECIMAL))
    # A mark behind the number is a token by itself, unless there is a period between them.
    marked = passage.is_at(stop[numeric] - 1, PUNCTUATION) & (passage.codes[stop[numeric] - 2] != PERIOD)
    number_stop = stop[numeric] - marked
    is_number = _are_numeric(passage, start[numeric], number_stop)
    is_number &= passage.doubled.first_from(start[numeric]) >= number_stop
    kind[numeric[is_number]] = _NUMBER
    return kind, np.where(is_alone, token_stop, stop)


def _kinds_by_use(passage: Passage, start: Places, stop: Places) -> Kinds:
    use = uses_of(passage, start, stop)
    letter = passage.codes[start].astype(np.int64)
    kind = _SINGLE + np.where(letter < len(_CASES), _CASES[np.minimum(letter, len(_CASES) - 1)], letter)
    known = np.flatnonzero(use != UNKNOWN)
    use = use[known]
    kind[known] += (use + 1) * CHARACTERS
    # Some marks behind a word belong to it, and a period to an abbreviation.
    behind = stop[known] % len(passage.text)
    mark = passage.codes[behind]
    is_untold = passage.is_at(behind, ODD) & (mark != COMMA) & ((mark != PERIOD) | ((use & ABBREVIATED) != 0))
    kind[known[is_untold | (use == UNTOLD)]] = UNCLEAR
    return kind


def _stops(passage: Passage, start: Places, stop: Places) -> tuple[Places, Places]:
    """Where words stop at the first mark, and tokens at one that parts them everywhere, or with the run."""
    next_mark = np.minimum(passage.word_stops.first_from(start + 1), stop)
    kinds = passage.kinds[start]
    is_mark = (kinds & (PUNCTUATION | ODD)) != 0
    is_single = (kinds & (PUNCTUATION | QUOTE)) == PUNCTUATION
    is_single |= IS_SINGLE[passage.codes[start]] & (passage.codes[start] != HYPHEN)
    is_parted = passage.is_at(next_mark % len(passage.text), PUNCTUATION) & (next_mark < stop)
    token_stop = np.where(is_single, start + 1, np.where(is_parted, next_mark, stop))
    return np.where(is_mark, start, next_mark), token_stop
