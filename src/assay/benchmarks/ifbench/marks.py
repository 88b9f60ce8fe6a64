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
_IS_MARK, _IS_MARK_OR_SPACE = ascii_table(MARKS), ascii_table(MARKS_AND_SPACE)


class Words(NamedTuple):
    """The words of a text, by where they are in it."""

    codes: Codes
    runs: Runs

    def text(self, number: int) -> str:
        return text_of(self.codes[self.runs.starts[number] : self.runs.ends[number]])


def without_marks(text: str) -> str:
    return without(text, _ENCODED)


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
