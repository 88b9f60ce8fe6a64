"""The trigrams of characters in a text, as numbers."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.engine.graders.english.code_points import Codes, codes_of
from assay.engine.graders.instructions.answer import Answer

Numbers: TypeAlias = NDArray[np.int64]

_WINDOW = 3
_MARGIN = 50
_BITS, _ASCII_BITS = 21, 7
_BLOCK_CHARACTERS = 50_000


class Trigrams:
    """Each once; a text of ASCII characters has them in fewer bits."""

    def __init__(self, text: str) -> None:
        is_ascii = text.isascii()
        self._bits = _ASCII_BITS if is_ascii else _BITS
        self._packed = _distinct_of_ascii(text) if is_ascii else _distinct(_packed(codes_of(text), _BITS))

    def __len__(self) -> int:
        return len(self._packed)

    def numbers(self) -> Numbers:
        """The same for the same trigram of any text."""
        if self._bits == _BITS:
            return self._packed
        last = (1 << self._bits) - 1
        first, second, third = (self._packed >> place * self._bits & last for place in (2, 1, 0))
        return first << 2 * _BITS | second << _BITS | third


def trigrams_by_part(answer: Answer) -> list[Trigrams]:
    """Those of parts that together have all; what lies within a line is the same in each variant."""
    return list(_by_part(answer))


def union(parts: Iterable[Trigrams]) -> Numbers:
    return _distinct(np.concatenate([part.numbers() for part in parts]))


def _by_part(answer: Answer) -> Iterator[Trigrams]:
    start, line_start = 0, -answer.lost_before
    for line in answer.lines:
        inner, inner_end = line_start + _MARGIN, line_start + len(line.text) - _MARGIN
        if 0 <= inner < inner_end <= len(answer.text):
            yield line.fact(_inner_trigrams)
            yield Trigrams(answer.text[start : inner + _WINDOW - 1])
            start = inner_end - _WINDOW + 1
        line_start += len(line.text) + 1
    yield Trigrams(answer.text[start:])


def _inner_trigrams(line: str) -> Trigrams:
    return Trigrams(line[_MARGIN:-_MARGIN])


def _distinct_of_ascii(text: str) -> Numbers:
    """So few are possible that there is a place for each."""
    codes = codes_of(text)
    if len(text) < _BLOCK_CHARACTERS:
        return _distinct(_packed(codes, _ASCII_BITS))
    is_there = np.zeros(1 << _WINDOW * _ASCII_BITS, np.bool_)
    for start in range(0, len(codes), _BLOCK_CHARACTERS):
        is_there[_packed(codes[start : start + _BLOCK_CHARACTERS + _WINDOW - 1], _ASCII_BITS)] = True
    return np.flatnonzero(is_there)


def _packed(codes: Codes, bits: int) -> Numbers:
    wide = codes.astype(np.int64)
    if len(wide) < _WINDOW:
        return wide[:0]
    return wide[:-2] << 2 * bits | wide[1:-1] << bits | wide[2:]


def _distinct(numbers: Numbers) -> Numbers:
    ordered = np.sort(numbers)
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]
