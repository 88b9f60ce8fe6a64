"""Comparison of whole texts, ignoring case, articles, punctuation and white space."""

import string

from assay.engine.graders.exact import LONGEST, SPELLED_OUT, folded

_ARTICLES = frozenset({"a", "an", "the"})
# A sign and a decimal point are part of a number.
_KEPT = "+-./"
_SPACED = str.maketrans({mark: " " for mark in string.punctuation if mark not in _KEPT})
# No expected answer is nearly as long: longer texts are compared no further.
_COMPARED_CHARACTERS = 20_000
# A few characters become many.
_COMPARED_FOLDED = 80_000


def bare(text: str) -> str:
    """The words of the text in lower case, without articles and punctuation."""
    # After so many of the longest, nothing is compared.
    parts = text.strip()[:_COMPARED_CHARACTERS].split(LONGEST)[: _COMPARED_FOLDED // len(SPELLED_OUT) + 2]
    compared = folded(LONGEST.join(parts))[:_COMPARED_FOLDED]
    words = [trimmed for word in compared.translate(_SPACED).split() if (trimmed := word.strip("./"))]
    # A text that is only the letter A is an answer, not an article.
    return " ".join([word for word in words if word not in _ARTICLES] or words)
