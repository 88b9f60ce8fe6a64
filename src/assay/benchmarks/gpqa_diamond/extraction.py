"""Finding the chosen letter as three public harnesses do; none of them changes the case of what it finds."""

import re

from assay.engine.graders.nine_patterns import NinePatterns

_LABEL = re.compile(r"(?i)answer[ \t]*:[ \t]*\$?([A-D])")
_NINE = NinePatterns("Z")


def simple_evals_letter(text: str) -> str | None:
    """The first "Answer: X"."""
    found = _LABEL.search(text)
    return found[1] if found else None


def labelled_letter(text: str) -> str | None:
    """The last "Answer: X" that no letter or digit follows."""
    return _NINE.labelled(text)


def nine_pattern_letter(text: str) -> str | None:
    """The last match of the first of nine patterns that matches anything."""
    return _NINE.letter(text)
