"""A text as an array of its characters, with what each of them is to the sentence splitter."""

import re
import string
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.engine.graders.english.characters import SPACE as SPACE_PATTERN
from assay.engine.graders.english.flagged import Flagged, places_of
from assay.engine.graders.english.flags import Bytes, Flags, Places
from assay.engine.graders.english.packed import PACKED, Numbers, overlapping

# ruff: noqa: RUF001 - the curly quotes are meant
Codes: TypeAlias = Bytes | NDArray[np.uint32]

SPACE, PLAIN_SPACE, PUNCTUATION, QUOTE, END, DECIMAL, ODD, _KNOWN = (1 << bit for bit in range(8))
PERIOD, HYPHEN, COMMA = ord("."), ord("-"), ord(",")
_KELVIN = "\u212a"
_MEMBERS = {
    PLAIN_SPACE: string.whitespace,
    # What parts tokens wherever it stands, and of that what may open one.
    PUNCTUATION: ")\";}]*:@'({[‘’“”«»?!",
    QUOTE: "'‘’“”«»?!",
    END: ".?!",
    # What parts tokens in some places only, and the one letter beyond ASCII that is a small ASCII letter.
    ODD: f".,-`&#{_KELVIN}",
}
_PATTERNS = {SPACE: re.compile(SPACE_PATTERN), DECIMAL: re.compile(r"\d")}
CHARACTERS = 0x110000
_kinds = np.zeros(CHARACTERS, np.uint8)
IS_PERIOD, IS_CLOSER, IS_SINGLE, IS_SEPARATOR = np.zeros((4, CHARACTERS), np.bool_)
IS_PERIOD[PERIOD] = True
IS_CLOSER[[ord(mark) for mark in "\"')]}‘’“”«»"]] = True
# What is a token by itself wherever a token starts with it, beside punctuation.
IS_SINGLE[[ord(mark) for mark in ",-`&#"]] = True
_SEPARATORS = "\x1c\x1d\x1e\x1f"
IS_SEPARATOR[[ord(mark) for mark in _SEPARATORS]] = True
BEYOND = 0xFF
_PADDING = bytes(PACKED)
_LOWER = bytes(range(256)).lower()


@dataclass(frozen=True)
class Passage:
    text: str

    @cached_property
    def codes(self) -> Codes:
        if self.text.isascii():
            return np.frombuffer(self.text.encode("ascii"), np.uint8)
        encoded = self.text.encode("utf-32-le", "surrogatepass")
        return np.frombuffer(encoded, "<u4").astype(np.uint32, copy=False)

    @cached_property
    def kinds(self) -> Bytes:
        if self.text.isascii():
            return np.frombuffer(self.text.encode("ascii").translate(_kinds[:256].tobytes()), np.uint8)
        kinds = _kinds[self.codes]
        if not kinds.all():
            _learn(self.codes[kinds == 0])
            kinds = _kinds[self.codes]
        return kinds

    def has(self, kind: int) -> Flags:
        return (self.kinds & kind) != 0

    def is_at(self, places: Places, kind: int) -> Flags:
        return (self.kinds[places] & kind) != 0

    @cached_property
    def runs(self) -> tuple[Flagged, Places]:
        """Where unbroken runs without white space start, and where they stop."""
        blank = np.ones(len(self.text) + 2, np.bool_)
        blank[1:-1] = self.has(SPACE)
        return Flagged.of(blank[:-2] > blank[1:-1]), places_of(blank[:-1] < blank[1:])

    @cached_property
    def has_plain_spaces_only(self) -> bool:
        """Whether all of its white space is ASCII."""
        return self.text.isascii() or not ((self.kinds & (SPACE | PLAIN_SPACE)) == SPACE).any()

    @cached_property
    def token_starts(self) -> Flagged:
        """What follows ASCII white space."""
        parted = np.ones(len(self.text), np.bool_)
        parted[1:] = self.has(PLAIN_SPACE)[:-1]
        return Flagged.of(parted)

    @cached_property
    def word_starts(self) -> Flagged:
        """What follows white space or punctuation."""
        if not self.has(PUNCTUATION).any():
            return self.runs[0]
        parted = np.ones(len(self.text), np.bool_)
        parted[1:] = self.has(PUNCTUATION | SPACE)[:-1]
        return Flagged.of(parted)

    @cached_property
    def end_marks(self) -> tuple[Places, Bytes]:
        """Where marks that may end a sentence are, but for the very last character; and what follows each."""
        places = places_of(self.has(END)[:-1])
        return places, self.kinds[places + 1]

    @cached_property
    def ends(self) -> Flagged:
        """What a token may end in that ends a sentence."""
        places, following = self.end_marks
        return self._flagged(places[np.flatnonzero((following & (PUNCTUATION | ODD | SPACE)) != 0)])

    @cached_property
    def certain_ends(self) -> Flagged:
        """Marks that are tokens by themselves, and so end a sentence if anything follows."""
        places, following = self.end_marks
        is_period = self.codes[places] == PERIOD
        is_certain = ((following & (PUNCTUATION | SPACE)) != 0) & ~is_period
        periods = np.flatnonzero(is_period & ((following & PUNCTUATION) != 0))
        before = self.kinds[places[periods] - 1]
        is_certain[periods] = (before & (PUNCTUATION | QUOTE)) == PUNCTUATION
        is_certain[periods] |= ((before & SPACE) != 0) | (places[periods] == 0)
        others = np.flatnonzero(~is_period & ((following & ODD) != 0))
        is_certain[others] = self._are_doubled(places[others] + 1)
        return self._flagged(places[np.flatnonzero(is_certain)])

    def _flagged(self, places: Places) -> Flagged:
        return Flagged(places, len(self.text))

    @cached_property
    def word_stops(self) -> Flagged:
        return Flagged.of(self.has(PUNCTUATION | ODD | SPACE))

    @cached_property
    def doubled(self) -> Flagged:
        """Periods and hyphens with another of the same behind them."""
        marks, following = self.end_marks
        marks = marks[np.flatnonzero((following & END) != 0)]
        if "--" in self.text:
            hyphens = self.codes == HYPHEN
            marks = np.union1d(marks, np.flatnonzero(hyphens[:-1] & hyphens[1:]))
        return self._flagged(marks[np.flatnonzero(self._are_doubled(marks))])

    def _are_doubled(self, places: Places) -> Flags:
        codes = self.codes
        mark = codes[places]
        followed = (places + 1 < len(codes)) & (codes[np.minimum(places + 1, len(codes) - 1)] == mark)
        return followed & ((mark == PERIOD) | (mark == HYPHEN))

    @cached_property
    def has_separators(self) -> bool:
        """Whether it has characters that are solid to the tokenizer and white space to Python."""
        return any(separator in self.text for separator in _SEPARATORS)

    @cached_property
    def judged(self) -> dict[Hashable, bool]:
        """Whether contexts have a sentence end, of those that were judged one by one."""
        return {}

    @cached_property
    def _octets(self) -> bytes:
        return np.minimum(self.codes, BEYOND).astype(np.uint8).tobytes()

    @cached_property
    def _packed(self) -> Numbers:
        return overlapping(_PADDING + self._octets + 2 * _PADDING)

    @cached_property
    def _packed_lower(self) -> Numbers:
        lower = self._octets.translate(_LOWER)
        if _KELVIN in self.text:
            lower = (
                np.where(self.codes == ord(_KELVIN), ord("k"), np.frombuffer(lower, np.uint8))
                .astype(np.uint8)
                .tobytes()
            )
        return overlapping(_PADDING + lower + 2 * _PADDING)

    def packed(self, places: Places) -> Numbers:
        """The eight characters from each place on as one number, `BEYOND` for those that have no octet."""
        return self._packed[places + PACKED]

    def packed_lower(self, places: Places) -> Numbers:
        """The same with small letters for those of ASCII."""
        return self._packed_lower[places + PACKED]


def _learn(codes: Codes) -> None:
    """Characters are looked at when a text first has them: there are over a million."""
    new = np.unique(codes).astype(np.uint32)
    text = new.tobytes().decode("utf-32", "surrogatepass")
    kinds = np.full(len(new), _KNOWN, np.uint8)
    for kind, members in _MEMBERS.items():
        kinds[np.isin(new, np.array([ord(member) for member in members], np.uint32))] |= kind
    for kind, pattern in _PATTERNS.items():
        kinds[[found.start() for found in pattern.finditer(text)]] |= kind
    _kinds[new] = kinds


_learn(np.arange(128, dtype=np.uint32))
