"""Character classes of the official scorer's tokenizers.

NLTK 3.10 matches with the `regex` package, whose classes differ from those of `re`: combining marks and
joiners belong to words, fractions and superscripts do not, and U+001C to U+001F are no white space.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

SPACE = r"[^\S\x1c-\x1f]"
SOLID = r"[\S\x1c-\x1f]"

_WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
_JOINERS = "\u200c\u200d"
# Symbols by category, but alphabetic by property.
_CIRCLED_AND_SQUARED_LETTERS = (
    range(0x24B6, 0x24EA),
    range(0x1F130, 0x1F14A),
    range(0x1F150, 0x1F16A),
    range(0x1F170, 0x1F18A),
)


_ASCII = bytes(range(128))
_BLOCK_CHARACTERS = 50_000
_BLANK = re.compile(r"\s")


@lru_cache(maxsize=4096)
def is_word_character(character: str) -> bool:
    if unicodedata.category(character) in _WORD_CATEGORIES or character in _JOINERS:
        return True
    return any(ord(character) in letters for letters in _CIRCLED_AND_SQUARED_LETTERS)


_ASCII_GAPS = bytes.maketrans(
    gaps := bytes(code for code in _ASCII if not is_word_character(chr(code))), b" " * len(gaps)
)


def with_gaps(text: str) -> str:
    """The text with blanks for whatever belongs to no word."""
    spaced = translated(text, _ASCII_GAPS)
    if spaced.isascii():
        return spaced
    gaps = [character for character in set(without(spaced, _ASCII)) if not is_word_character(character)]
    return re.sub(f"[{re.escape(''.join(gaps))}]+", " ", spaced) if gaps else spaced


def blanks_for(marks: str) -> bytes:
    """A table for `translated` that has blanks for these ASCII characters."""
    return bytes.maketrans(marks.encode("ascii"), b" " * len(marks))


def translated(text: str, table: bytes) -> str:
    """The text with its ASCII characters replaced: much faster than `str.translate` where it has others."""
    return text.encode("utf-8", "surrogatepass").translate(table).decode("utf-8", "surrogatepass")


def without(text: str, marks: bytes) -> str:
    """The text without these ASCII characters."""
    encoded = text.encode("utf-8", "surrogatepass").translate(None, delete=marks)
    return encoded.decode("utf-8", "surrogatepass")


def blocks(text: str) -> Iterator[str]:
    """The text cut at white space, for those who need not read it all."""
    start = 0
    while start + _BLOCK_CHARACTERS < len(text):
        blank = _BLANK.search(text, start + _BLOCK_CHARACTERS)
        if blank is None:
            break
        yield text[start : blank.start()]
        start = blank.start()
    yield text[start:]
