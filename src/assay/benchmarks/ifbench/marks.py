"""Punctuation as the official scorer removes it: the ASCII marks, and nothing else."""

import string
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from assay.engine.graders.english.characters import blocks, without
from assay.engine.graders.english.code_points import (
    Codes,
    Runs,
    among,
    are_blanks,
    ascii_table,
    codes_of,
    lower_codes_of,
    runs_of,
    text_of,
    trimmed,
)

MARKS = string.punctuation
MARKS_AND_SPACE = string.punctuation + " "

_ENCODED = MARKS.encode("ascii")
_OTHER = bytes(chr(code) not in MARKS_AND_SPACE for code in range(256))
# From so many characters on it is faster to look at all at once.
_LONG = 1_000
_IS_MARK, _IS_MARK_OR_SPACE = ascii_table(MARKS), ascii_table(MARKS_AND_SPACE)


class Words(NamedTuple):
    """The words of a text, by where they are in it."""

    codes: Codes
    runs: Runs

    def text(self, number: int) -> str:
        return text_of(self.codes[self.runs.starts[number] : self.runs.ends[number]])


def without_marks(text: str) -> str:
    return without(text, _ENCODED)


def stripped_before(text: str) -> str:
    """Without the marks and spaces that it starts with."""
    if len(text) < _LONG or text[:_LONG].strip(MARKS_AND_SPACE):
        return text.lstrip(MARKS_AND_SPACE)
    first = _others(text).find(1)
    return text[first:] if first >= 0 else ""


def stripped_behind(text: str) -> str:
    """Without the marks and spaces that it ends with."""
    if len(text) < _LONG or text[-_LONG:].strip(MARKS_AND_SPACE):
        return text.rstrip(MARKS_AND_SPACE)
    others = _others(text)
    return text[: len(text) - (len(others) - 1 - others.rfind(1))]


def _others(text: str) -> bytes:
    """Whether each octet is of something else; marks and spaces have one."""
    return text.encode("utf-8", "surrogatepass").translate(_OTHER)


def bare_words(text: str) -> list[str]:
    return without_marks(text).split()


def bare_lower_words(text: str) -> list[str]:
    return bare_words(text.lower())


def bare_words_by_block(text: str) -> Iterator[Words]:
    """The same words as `bare_words` has."""
    for block in blocks(text):
        codes = codes_of(without_marks(block))
        yield Words(codes, runs_of(~are_blanks(codes)))


def bare_lower_words_by_block(text: str) -> Iterator[Words]:
    """The same words as `bare_lower_words` has."""
    return map(bare_lower_words_at_once, blocks(text))


def bare_lower_words_at_once(text: str) -> Words:
    if text.isascii():
        codes = codes_of(without_marks(text.lower()))
    else:
        codes = lower_codes_of(text)
        codes = codes[np.flatnonzero(~among(codes, _IS_MARK))]
    return Words(codes, runs_of(~are_blanks(codes)))


def stripped(codes: Codes, words: Runs) -> Runs:
    """The words without the marks at their ends; one of marks alone is empty."""
    return trimmed(words, ~among(codes, _IS_MARK))


def stripped_with_spaces(codes: Codes, runs: Runs) -> Runs:
    """Lines or sentences without the marks and spaces at their ends; one that has nothing else is empty."""
    return trimmed(runs, ~among(codes, _IS_MARK_OR_SPACE))
