"""Character classes of the official scorer's tokenizers.

NLTK 3.10 matches with the `regex` package, whose classes differ from those of `re`: combining marks and
joiners belong to words, fractions and superscripts do not, and U+001C to U+001F are no white space.
"""

import unicodedata
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


@lru_cache(maxsize=4096)
def is_word_character(character: str) -> bool:
    if unicodedata.category(character) in _WORD_CATEGORIES or character in _JOINERS:
        return True
    return any(ord(character) in letters for letters in _CIRCLED_AND_SQUARED_LETTERS)
