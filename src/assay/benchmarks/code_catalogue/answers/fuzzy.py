"""Finds lines that a model remembered roughly."""

from collections.abc import Callable
from difflib import SequenceMatcher
from itertools import accumulate

from assay.benchmarks.code_catalogue.answers.hunks import ExactFinder
from assay.benchmarks.code_catalogue.answers.limits import WorkLimit

# By the number of lines: the fewer there are, the more alike they must be.
_RATIOS = ((3, 0.9), (10, 0.85))
_RATIO_OF_MANY = 0.8
# Longer lines must be equal: the time to compare two lines grows with the product of their lengths.
_MOST_PAIRS = 250_000
# Compared to copying a character.
_COST_OF_A_PAIR = 4


class RoughFinder:
    """Exactly; else with any white space; else the most similar place."""

    def __init__(self, lines: list[str], work: WorkLimit) -> None:
        self._lines = lines
        self._work = work
        self._finders: dict[Callable[[str], str], ExactFinder] = {}

    def places(self, wanted: list[str], *, near: int | None, after: int) -> list[int]:
        for form in (str, _collapsed):
            if found := self._finder(form).places([form(line) for line in wanted], near=near, after=after):
                return found
        return _Similarity(wanted, self._lines, self._work).places(near=near, after=after) if wanted else []

    def _finder(self, form: Callable[[str], str]) -> ExactFinder:
        if form not in self._finders:
            self._work.spend(sum(map(len, self._lines)))
            self._finders[form] = ExactFinder([form(line) for line in self._lines], self._work)
        return self._finders[form]


def _collapsed(line: str) -> str:
    return " ".join(line.split())


class _Similarity:
    """Compares a hunk with places of the file, line by line."""

    def __init__(self, wanted: list[str], lines: list[str], work: WorkLimit) -> None:
        self._wanted = wanted
        self._lines = lines
        self._work = work
        self._matchers = [SequenceMatcher(None, "", line, autojunk=False) for line in wanted]
        self._ratio = next((ratio for most, ratio in _RATIOS if len(wanted) <= most), _RATIO_OF_MANY)

    def places(self, *, near: int | None, after: int) -> list[int]:
        """The most similar first."""
        size = len(self._wanted)
        starts = [0, *accumulate(map(len, self._lines))]
        length_of_wanted = sum(map(len, self._wanted))
        found: list[tuple[float, int, int]] = []
        for at in range(after, len(self._lines) - size + 1):
            length = length_of_wanted + starts[at + size] - starts[at]
            difference = self._difference(at, (1 - self._ratio) * length)
            if difference is not None:
                found.append((difference / length, abs(at - near) if near is not None else 0, at))
        return [at for _, _, at in sorted(found)]

    def _difference(self, at: int, most: float) -> float | None:
        """The number of characters without a counterpart on the other side; None if more than `most`."""
        difference = 0.0
        for offset, line in enumerate(self._wanted):
            self._work.spend(1)
            other = self._lines[at + offset]
            if line != other:
                difference += self._difference_of_lines(offset, other, most - difference)
            if difference > most:
                return None
        return difference

    def _difference_of_lines(self, offset: int, other: str, most: float) -> float:
        """At least `most` is returned quickly where lengths or letters show it."""
        length = len(self._wanted[offset]) + len(other)
        pairs = len(self._wanted[offset]) * len(other)
        matcher = self._matchers[offset]
        matcher.set_seq1(other)
        if pairs > _MOST_PAIRS or (1 - matcher.real_quick_ratio()) * length > most:
            return length
        self._work.spend(length)
        if (1 - matcher.quick_ratio()) * length > most:
            return length
        self._work.spend(_COST_OF_A_PAIR * pairs)
        return (1 - matcher.ratio()) * length
