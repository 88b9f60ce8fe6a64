"""What can be said of a text's words in one fast pass, without cutting it as the tokenizer does.

The tokenizer cuts at white space, at certain marks, and inside a few contractions. Cutting at all of the
marks wherever they stand gives pieces of which every word has at least one.
"""

import re
import string

from assay.engine.graders.english.characters import blanks_for, translated
from assay.engine.graders.english.pronouns import PRONOUNS

# ruff: noqa: RUF001 - the curly quotes and dashes are meant
_BLANK_MARKS = blanks_for("`\"',:;@#$%&?!*[](){}<>")
_MARKS_BEYOND_ASCII = "«»“”‘’„‒–—―"
_SPACES_BEYOND_ASCII = "".join(character for character in map(chr, range(128, 0x3001)) if character.isspace())
_RUNS = ("..", "--", "  .")
# The parts of a character beyond ASCII are no blanks: it belongs to a word, or was made blank before.
_BLANK_UNLESS_LETTER = bytes(
    32 if chr(code).isascii() and chr(code) not in string.ascii_lowercase else code for code in range(256)
)
_CONTRACTIONS = ("cannot", "gimme", "gonna", "gotta", "lemme", "wanna", "n't", "'tis", "'twas")
_HALF_PRONOUN = re.compile("gimme|lemme", re.IGNORECASE)
_ENCODED_PRONOUNS = frozenset(word.encode("ascii") for word in PRONOUNS)
_CONTRACTION = re.compile("|".join(_CONTRACTIONS), re.IGNORECASE)


def most_upper_words(text: str) -> int:
    """No fewer than the words in capitals."""
    return sum(map(str.isupper, _pieces(text))) + _contractions(text)


def most_pronouns(text: str) -> int:
    """No fewer than the words that are pronouns in small letters."""
    parted = _with_marks_blank(text.replace("n't", " n't")).encode("utf-8", "surrogatepass")
    pieces = parted.translate(_BLANK_UNLESS_LETTER).split()
    found = _ENCODED_PRONOUNS.intersection(pieces)
    # Of the halves of other contractions only "me" is a pronoun.
    halves = sum(1 for _ in _HALF_PRONOUN.finditer(text)) if "mme" in text else 0
    return (sum(map(found.__contains__, pieces)) if found else 0) + halves


def may_open_lower(text: str) -> bool:
    """Whether a word may start with a small letter."""
    return any(map(str.islower, {piece[0] for piece in _pieces(text)})) or _contractions(text) > 0


def _pieces(text: str) -> list[str]:
    for run in _RUNS:
        text = text.replace(run, "   ")
    text = translated(text, _BLANK_MARKS)
    return _with_marks_blank(text).split()


def _with_marks_blank(text: str) -> str:
    if text.isascii():
        return text
    for mark in _MARKS_BEYOND_ASCII + _SPACES_BEYOND_ASCII:
        text = text.replace(mark, " ")
    return text


def _contractions(text: str) -> int:
    if not text.isascii():
        # Some letters beyond ASCII are small or large forms of ASCII ones.
        return sum(1 for _ in _CONTRACTION.finditer(text))
    lower = text.lower()
    return sum(map(lower.count, _CONTRACTIONS))
