"""Finding the chosen letter in an answer, in time linear in its length.

The official patterns are quadratic on long answers without a letter; the forms here find the same letters.
"""

import re

from assay.engine.graders.last_match import last_match
from assay.engine.graders.nine_patterns import NinePatterns

_SENTENCE = re.compile(r"answer is \(?([A-J])\)?")
# A look-ahead, so that the A of a second "Answer:" is not used up as the letter of the first.
_LABEL = re.compile(r"[aA]nswer:(?=\s*([A-J]))")
_ALONE = re.compile(r"\b([A-J])\b")
_CHARACTER = re.compile(r"\S")
_NINE = NinePatterns("J")


def official_letter(text: str) -> str | None:
    """The letter as MMLU-Pro's own scripts find it.

    That is the first "answer is (X)"; else the last "Answer: X" of the first line that has one; else the last
    letter from A to J that stands alone.
    """
    sentence = _SENTENCE.search(text)
    if sentence:
        return sentence[1]
    label = _label_letter(text)
    if label:
        return label
    alone = last_match(_ALONE, text)
    return alone[1] if alone else None


def _label_letter(text: str) -> str | None:
    first = _LABEL.search(text)
    if first is None:
        return None
    line_end = text.find("\n", first.start())
    # The letter of a label that ends the line may stand on a later one.
    following = _CHARACTER.search(text, line_end) if line_end >= 0 else None
    last = last_match(_LABEL, text, start=first.start(), end=following.end() if following else None)
    return last[1] if last else None


def chain_letter(text: str) -> str | None:
    """The letter as the nine patterns for zero-shot answers find it, in upper case."""
    found = _NINE.letter(text)
    return found.upper() if found else None
