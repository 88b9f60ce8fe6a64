"""Punctuation as the official scorer removes it: the ASCII marks, and nothing else."""

import string

MARKS = string.punctuation
MARKS_AND_SPACE = string.punctuation + " "

_REMOVED = str.maketrans("", "", MARKS)


def without_marks(text: str) -> str:
    return text.translate(_REMOVED)


def bare_words(text: str) -> list[str]:
    return without_marks(text).split()
