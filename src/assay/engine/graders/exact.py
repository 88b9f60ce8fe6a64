"""Grading by equal text, as it is or normalised."""

import functools
import re
import unicodedata
from collections.abc import Callable

from assay.domain.benchmark import Grade
from assay.domain.outcome import Outcome

Normaliser = Callable[[str], str]

# Marks on one letter are put in order by swapping neighbours, which takes quadratic time for a long row. A
# joiner ends the row; so many marks are what Unicode's stream-safe format allows (UAX 15).
_MOST_MARKS = 30
_JOINER = "\u034f"
# No mark is below these. A pattern that begins with a single character is searched fastest.
_STRETCH = re.compile(rf"[^\0-\u02ff][^\0-\u02ff]{{{_MOST_MARKS},}}+")
# The one character that becomes eighteen, none of them ASCII but the blanks; it is faster spelled out before.
LONGEST = "\ufdfa"
SPELLED_OUT = unicodedata.normalize("NFKC", LONGEST)
_EDGE_MARKS = " .,;:!?\"'`*_()[]{}$\u201c\u201d\u2018\u2019"


def as_is(text: str) -> str:
    return text


def normalised(text: str) -> str:
    """Letter case, kinds and runs of white space, and marks at either end do not count."""
    return " ".join(folded(text).split()).strip(_EDGE_MARKS)


def folded(text: str) -> str:
    """In compatibility form (NFKC) and without letter case."""
    if text.isascii():
        return text.lower()
    text = _STRETCH.sub(_without_long_rows, text.replace(LONGEST, SPELLED_OUT))
    return unicodedata.normalize("NFKC", text).casefold()


def _without_long_rows(stretch: re.Match[str]) -> str:
    return _rows().sub(_ended, stretch[0])


@functools.cache
def _rows() -> re.Pattern[str]:
    """As many marks as may stand in a row, before another one; also rows of rare scripts.

    Only within the first plane is a set of single characters searched fast.
    """
    marks = "".join(filter(_is_mark, map(chr, range(0x300, 0x10000))))
    one = f"[{marks}\U00010100-\U0001d3ff\U0001e000-\U0001efff]"
    return re.compile(f"{one}{one}{{{_MOST_MARKS - 1}}}(?={one})")


def _ended(row: re.Match[str]) -> str:
    is_of_marks = max(row[0]) < "\U00010000" or all(map(_is_mark, row[0]))
    return row[0] + _JOINER if is_of_marks else row[0]


@functools.lru_cache(maxsize=1_024)
def _is_mark(character: str) -> bool:
    """Whether it belongs, in compatibility form, to the character before it."""
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) > 0


def grade_exact(extracted: str | None, expected: str, *, normalise: Normaliser = as_is) -> Grade:
    """Equal after `normalise` is correct; no answer, or one of which nothing is left, is unparsed."""
    said = None if extracted is None else normalise(extracted)
    if not said:
        return Grade(Outcome.UNPARSED, 0.0, extracted=extracted, explanation="there is no answer to compare")
    if said == normalise(expected):
        return Grade(Outcome.CORRECT, 1.0, extracted=extracted, explanation="equals the expected answer")
    return Grade(Outcome.INCORRECT, 0.0, extracted=extracted, explanation="differs from the expected answer")
