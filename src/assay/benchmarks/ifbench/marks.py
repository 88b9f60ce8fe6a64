"""Punctuation as the official scorer removes it: the ASCII marks, and nothing else."""

import string

from assay.engine.graders.english.characters import without

MARKS = string.punctuation
MARKS_AND_SPACE = string.punctuation + " "

_ENCODED = MARKS.encode("ascii")


def without_marks(text: str) -> str:
    return without(text, _ENCODED)


def bare_words(text: str) -> list[str]:
    return without_marks(text).split()


def bare_lower_words(text: str) -> list[str]:
    return bare_words(text.lower())
