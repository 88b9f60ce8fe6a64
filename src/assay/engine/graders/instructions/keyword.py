"""Keywords, which official rows give as regular expressions, though nearly all are plain words.

Plain words of ASCII letters are found in a copy of the text in small ASCII letters, ten times faster.
"""

import re
from itertools import islice

from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import is_literal

# Letters beyond ASCII that a pattern which ignores case takes for one of ASCII.
_ALSO_ASCII = "\u0130\u0131\u017f\u212a"


def has_keyword(answer: Answer, keyword: re.Pattern[str]) -> bool:
    if is_literal(keyword.pattern):
        plain = keyword.pattern.lower().encode("ascii")
        lowered = answer.facts(_lowered)
        if None not in lowered:
            return any(plain in text for text in lowered if text is not None)
    return bool(keyword.search(answer.text))


def keyword_count(answer: Answer, keyword: re.Pattern[str], most: int) -> int:
    """How often the keyword occurs; beyond `most` it is not counted."""
    if is_literal(keyword.pattern):
        plain = keyword.pattern.lower().encode("ascii")
        lowered = answer.facts(_lowered)
        if None not in lowered:
            return sum(text.count(plain) for text in lowered if text is not None)
    return sum(1 for _ in islice(keyword.finditer(answer.text), most))


def has_word(answer: Answer, word: str, pattern: re.Pattern[str]) -> bool:
    """Whether the pattern, which is the word between word boundaries, occurs."""
    if is_literal(word):
        return any(answer.facts(text_has_word, word, pattern))
    return bool(pattern.search(answer.text))


def text_has_word(text: str, word: str, pattern: re.Pattern[str]) -> bool:
    """The same for a text."""
    lowered = _lowered(text) if is_literal(word) and word[0].isalnum() and word[-1].isalnum() else None
    if lowered is None:
        return bool(pattern.search(text))
    # Where there is no ASCII letter or digit around it, the pattern tells whether there is one beyond ASCII.
    plain = re.escape(word.lower())
    places = re.finditer(rf"{plain}(?<![a-z0-9_]{plain})(?![a-z0-9_])".encode("ascii"), lowered)
    return any(pattern.match(text, place.start()) for place in places)


def _lowered(text: str) -> bytes | None:
    if not text.isascii() and any(letter in text for letter in _ALSO_ASCII):
        return None
    return text.encode("ascii", "replace").lower()
