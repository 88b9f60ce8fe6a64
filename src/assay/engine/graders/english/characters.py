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

WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
_JOINERS = (0x200C, 0x200D)
# Symbols by category, but alphabetic by property.
_CIRCLED_AND_SQUARED_LETTERS = (
    *range(0x24B6, 0x24EA),
    *range(0x1F130, 0x1F14A),
    *range(0x1F150, 0x1F16A),
    *range(0x1F170, 0x1F18A),
)
OTHER_WORD_CHARACTERS = frozenset(map(chr, _JOINERS + _CIRCLED_AND_SQUARED_LETTERS))

_BLOCK_CHARACTERS, _NEAR_CHARACTERS = 50_000, 1_000
_BLANK = re.compile(r"\s")
# ASCII characters that belong to no word.
GAP = re.compile(r"[^\w\x80-\U0010ffff]")


@lru_cache(maxsize=4096)
def is_word_character(character: str) -> bool:
    return unicodedata.category(character) in WORD_CATEGORIES or character in OTHER_WORD_CHARACTERS


def without(text: str, marks: bytes) -> str:
    """The text without these ASCII characters."""
    encoded = text.encode("utf-8", "surrogatepass").translate(None, delete=marks)
    return encoded.decode("utf-8", "surrogatepass")


def blocks(text: str, gap: re.Pattern[str] = _BLANK) -> Iterator[str]:
    """The text cut at white space or other gaps, for those who need not read it all or all at once."""
    start = 0
    while start + _BLOCK_CHARACTERS < len(text):
        end = _gap_from(text, start + _BLOCK_CHARACTERS, gap)
        if end == len(text):
            break
        yield text[start:end]
        start = end
    yield text[start:]


def _gap_from(text: str, start: int, gap: re.Pattern[str]) -> int:
    """Where the next gap is, or the end."""
    found = gap.search(text, start, start + _NEAR_CHARACTERS if gap is _BLANK else len(text))
    if found:
        return found.start()
    # Where white space is far, it is found several times faster so.
    return start + len(text[start:].split(None, 1)[0]) if gap is _BLANK else len(text)
