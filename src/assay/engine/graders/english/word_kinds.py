"""Kinds of words that are counted in long texts."""

from typing import NamedTuple, Protocol

import numpy as np

from assay.engine.graders.english.flags import Bytes, Flags, Places, after, among, before
from assay.engine.graders.english.packed import MASKS, PACKED, Numbers, number, overlapping
from assay.engine.graders.english.pronouns import PRONOUNS
from assay.engine.graders.english.token_characters import LOWER, OPENS_LOWER, TITLE, UPPER
from assay.engine.graders.english.token_cuts import Tokenizer

_CASED = np.uint8(UPPER | LOWER | TITLE)
# Of the rest of a word behind its first letter, besides the cases of its letters.
_NOTHING, _DOUBTFUL = 1 << 3, 1 << 4
_SMALL = np.zeros(2 * _DOUBTFUL, np.bool_)
_SMALL[[UPPER, LOWER, _NOTHING]] = True


class Bounds(NamedTuple):
    least: int
    most: int


class Kind(Protocol):
    def prepared(self, text: str) -> str:
        """The text whose words are counted."""
        ...

    def holds(self, word: str) -> bool:
        """Of a word of letters alone."""
        ...

    def may_hold(self, word: str) -> bool:
        """Of any word with this one in it, which has no marks."""
        ...

    def count(self, tokens: Tokenizer, cuts: Flags) -> int: ...

    def bounds(self, tokens: Tokenizer) -> Bounds:
        """How many there may be, wherever sentences end."""
        ...


class _Capitals:
    """Words in capitals."""

    def prepared(self, text: str) -> str:
        return text

    def holds(self, word: str) -> bool:
        return word.isupper()

    may_hold = holds

    def count(self, tokens: Tokenizer, cuts: Flags) -> int:
        cases = tokens.characters.cases & _CASED
        if not (cases & UPPER).any():
            return 0
        found = _combined(cases, np.flatnonzero(tokens.starts(cuts)))
        return int(np.count_nonzero(found == UPPER))

    def bounds(self, tokens: Tokenizer) -> Bounds:
        # A word is in capitals with the period at its end or without it, but may be cut in two by that.
        final = tokens.possibly_final_next_to(tokens.ends_before_space, b":")
        return _growing(self, tokens, final)


class _Pronouns:
    """Pronouns, with a slash for white space and case ignored."""

    def prepared(self, text: str) -> str:
        return text.replace("/", " ").lower()

    def holds(self, word: str) -> bool:
        return word in PRONOUNS

    may_hold = holds

    def count(self, tokens: Tokenizer, cuts: Flags) -> int:
        plain = tokens.characters.plain
        letters = (tokens.characters.cases & OPENS_LOWER) != 0
        starts = np.flatnonzero(tokens.starts(cuts) & letters)
        found = overlapping(plain)[starts]
        likely = np.flatnonzero(_OPENINGS[found & MASKS[2]])
        starts, found = starts[likely], found[likely]
        ends = overlapping(tokens.ends(cuts).tobytes())
        is_short = ends[starts + 1] != 0
        found &= _up_to_first(ends[starts + 1])
        known = _SHORT[np.searchsorted(_SHORT, found) % len(_SHORT)] == found
        total = np.count_nonzero(known & is_short)
        longer, found = starts[~is_short], found[~is_short]
        for size, opening, ending in _LONG if longer.size else ():
            last = longer[found == opening] + size - PACKED
            total += np.count_nonzero((overlapping(plain)[last] == ending) & (ends[last + 1] == _END_BEHIND))
        return int(total)

    def bounds(self, tokens: Tokenizer) -> Bounds:
        if not self._may_be_any(tokens):
            return Bounds(0, 0)
        final = tokens.possibly_final_next_to(among(tokens.plain, _LAST_LETTERS))
        return _growing(self, tokens, final)

    def _may_be_any(self, tokens: Tokenizer) -> bool:
        """Whether letters start as one does, or may be cut in two before one."""
        plain = tokens.characters.plain
        letters = (tokens.characters.cases & OPENS_LOWER) != 0
        starts = np.flatnonzero(letters & ~before(letters))
        return _CUT_BEFORE_ONE in plain or bool(_OPENINGS[overlapping(plain)[starts] & MASKS[2]].any())


class _SmallLetters:
    """Words in small letters, or in capitals but for the first."""

    def prepared(self, text: str) -> str:
        return text

    def holds(self, word: str) -> bool:
        return word.islower()

    def may_hold(self, word: str) -> bool:
        return word[0].islower()

    def count(self, tokens: Tokenizer, cuts: Flags) -> int:
        rest = self._rest(tokens, cuts, np.zeros(len(cuts), np.uint8))
        return int(np.count_nonzero(_SMALL[rest]))

    def bounds(self, tokens: Tokenizer) -> Bounds:
        # A period at the end of a word matters behind its first letter only, or if it cuts the word in two.
        first = tokens.letters & ~before(tokens.letters)
        cuts = tokens.most(tokens.possibly_final_next_to(first | tokens.ends_before_space, b":"))
        if not (tokens.starts(cuts) & ((tokens.characters.cases & OPENS_LOWER) != 0)).any():
            return Bounds(0, 0)
        doubtful = cuts & ~tokens.least & ~tokens.gaps
        doubts = (doubtful | after(doubtful)) * np.uint8(_DOUBTFUL)
        rest = self._rest(tokens, cuts, doubts)
        least = int(np.count_nonzero(_SMALL[rest]))
        # What may be part of a longer word is told by its first letter alone.
        return Bounds(least, least + int(np.count_nonzero(rest >= _DOUBTFUL)))

    def _rest(self, tokens: Tokenizer, cuts: Flags, doubts: Bytes) -> Bytes:
        """What there is behind the first letters of words that open with a small one."""
        starts = np.flatnonzero(tokens.starts(cuts))
        cases = tokens.characters.cases
        behind = cases & _CASED
        behind[starts] = 0
        behind |= doubts
        single = tokens.ends(cuts)[starts + 1] * np.uint8(_NOTHING)
        return (_combined(behind, starts) | single)[(cases[starts] & OPENS_LOWER) != 0]


def _combined(bits: Bytes, starts: Places) -> Bytes:
    """The bits of each word, with those of the gaps and marks behind it, which have none."""
    return np.bitwise_or.reduceat(bits, starts) if starts.size else bits[:0]


def _up_to_first(flags: Numbers) -> Numbers:
    """A mask for as many characters as it is to the first flag."""
    return ((flags & -flags) << np.uint64(8)) - np.uint64(1)


def _growing(kind: Kind, tokens: Tokenizer, final: Flags) -> Bounds:
    """Of a kind of which there are never fewer words with more cuts."""
    least = kind.count(tokens, tokens.least)
    return Bounds(least, kind.count(tokens, tokens.most(final)) if final.any() else least)


_SHORT = np.array(sorted(number(word.encode()) for word in PRONOUNS if len(word) <= PACKED), np.uint64)
_LONG = [
    (len(word), number(word[:PACKED].encode()), number(word[-PACKED:].encode()))
    for word in PRONOUNS
    if len(word) > PACKED
]
_LAST_LETTERS = bytes({ord(word[-1]) for word in PRONOUNS})
_CUT_BEFORE_ONE = b"mme"
_END_BEHIND = 1 << 8 * (PACKED - 1)
# Of words of one letter any character may be the second.
_OPENINGS = np.zeros(1 << 16, np.bool_)
_OPENINGS[[number(word[:2].encode()) for word in PRONOUNS]] = True
_OPENINGS[ord("i") :: 1 << 8] = True

CAPITALS, PRONOUN, SMALL_LETTERS = _Capitals(), _Pronouns(), _SmallLetters()
