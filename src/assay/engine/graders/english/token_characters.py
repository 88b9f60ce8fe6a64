"""What each character of a text is to the word tokenizer."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.engine.graders.english.characters import is_word_character
from assay.engine.graders.english.code_points import Codes, codes_of
from assay.engine.graders.english.flags import Bytes

# ruff: noqa: RUF001 - the curly quotes and dashes are meant
SEPARATORS = frozenset("\x1c\x1d\x1e\x1f")
# What stands apart from all words: the tokenizer sees to some marks before apostrophes, to the others after.
_APART_EARLY, _APART_LATE = "«“‘„`;@#$%&‒–—―?!", '*[](){}<>"»”’'
# What a sentence may have behind its last period, or what may follow it at once.
_CLOSING = "])}>\"'»”’ "
_BEHIND_SENTENCES = f"{_CLOSING};*:@({{[‘“«?!"
# Letters beyond ASCII that regular expressions take for small ASCII ones where case is ignored.
LIKE_ASCII = {"ſ": "s", "ı": "i", "İ": "i"}
_OTHER = 0x80

# Properties of which a character may have several, in two bytes.
WORD, ALPHANUMERIC, SPACE, SEPARATOR, APART_EARLY, APART_LATE, DECIMAL, BEHIND_SENTENCE = (
    1 << bit for bit in range(8)
)
UPPER, LOWER, TITLE, OPENS_LOWER, CLOSING, _KNOWN = (1 << bit for bit in range(6))
_SHAPES: dict[int, Callable[[str], bool]] = {
    WORD: is_word_character,
    ALPHANUMERIC: lambda character: character.isalnum() or character == "_",
    SPACE: lambda character: character.isspace() and character not in SEPARATORS,
    SEPARATOR: SEPARATORS.__contains__,
    APART_EARLY: _APART_EARLY.__contains__,
    APART_LATE: _APART_LATE.__contains__,
    DECIMAL: str.isdecimal,
    BEHIND_SENTENCE: lambda character: character.isspace() or character in _BEHIND_SENTENCES,
}
_CASES: dict[int, Callable[[str], bool]] = {
    UPPER: str.isupper,
    LOWER: str.islower,
    TITLE: lambda character: character.istitle() and not character.isupper(),
    OPENS_LOWER: lambda character: character.islower() and character.isalpha(),
    CLOSING: _CLOSING.__contains__,
    _KNOWN: lambda _: True,
}


def _bits(character: str, properties: dict[int, Callable[[str], bool]]) -> int:
    return sum(bit for bit, holds in properties.items() if holds(character))


_ASCII_SHAPES = bytes(_bits(chr(code), _SHAPES) for code in range(128)).ljust(256, b"\0")
_ASCII_CASES = bytes(_bits(chr(code), _CASES) for code in range(128)).ljust(256, b"\0")
_learned = np.zeros(0x110000, np.uint16)


class Characters:
    def __init__(self, text: str) -> None:
        self.text = text
        self._is_ascii = text.isascii()

    @cached_property
    def plain(self) -> bytes:
        """The ASCII characters, and one byte for each of the others."""
        if self._is_ascii:
            return self.text.encode("ascii")
        return np.minimum(self._codes, _OTHER).astype(np.uint8).tobytes()

    @cached_property
    def folded(self) -> bytes:
        """The same in small letters."""
        small = self.plain.lower()
        like_ascii = [] if self._is_ascii else [letter for letter in LIKE_ASCII if letter in self.text]
        if not like_ascii:
            return small
        letters = np.frombuffer(small, np.uint8).copy()
        for letter in like_ascii:
            letters[self._codes == ord(letter)] = ord(LIKE_ASCII[letter])
        return letters.tobytes()

    @cached_property
    def shapes(self) -> Bytes:
        if self._is_ascii:
            return np.frombuffer(self.plain.translate(_ASCII_SHAPES), np.uint8)
        return self._properties.astype(np.uint8)

    @cached_property
    def cases(self) -> Bytes:
        if self._is_ascii:
            return np.frombuffer(self.plain.translate(_ASCII_CASES), np.uint8)
        return (self._properties >> 8).astype(np.uint8)

    @cached_property
    def _codes(self) -> Codes:
        return codes_of(self.text)

    @cached_property
    def _properties(self) -> NDArray[np.uint16]:
        """Characters are looked at when a text first has them: there are over a million."""
        found = _learned[self._codes]
        if not found.all():
            for code in np.unique(self._codes[found == 0]).tolist():
                _learned[code] = _bits(chr(code), _CASES) << 8 | _bits(chr(code), _SHAPES)
            found = _learned[self._codes]
        return found
