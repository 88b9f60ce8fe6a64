"""Words of a list, found among the many of a text at once."""

from collections.abc import Iterable

import numpy as np

from assay.engine.graders.english.code_points import Codes, Runs, codes_of
from assay.engine.graders.english.flags import Places
from assay.engine.graders.english.packed import PACKED, Numbers
from assay.engine.graders.english.spelling import are_full, spelling

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SLOT_BITS = 16


class Vocabulary:
    """ASCII words in a table of slots: each is in the first free one from its own on."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        lengths = np.array(list(map(len, self.words)))
        self._shortest, self._longest = int(lengths.min()), int(lengths.max())
        ends = np.cumsum(lengths)
        spelt = spelling(codes_of("".join(self.words)), Runs(ends - lengths, ends))
        self._packs = [spelt.pack(number) for number in range(-(-self._longest // PACKED))]
        self._slots = np.full(1 << _SLOT_BITS, -1, np.int16)
        for number, own in enumerate(_own_slots(self._packs[0]).tolist()):
            slot = own
            while self._slots[slot] >= 0:
                slot = (slot + 1) % len(self._slots)
            self._slots[slot] = number

    def find(self, codes: Codes, runs: Runs) -> Places:
        """For each run the number of the word that it is, or -1."""
        found = np.full(len(runs.starts), -1, np.intp)
        lengths = runs.lengths
        fitting = np.flatnonzero((lengths >= self._shortest) & (lengths <= self._longest))
        found[fitting] = self._find(codes, runs.chosen(fitting))
        return found

    def _find(self, codes: Codes, runs: Runs) -> Places:
        found = np.full(len(runs.starts), -1, np.intp)
        spelt = spelling(codes, runs)
        first = spelt.pack(0)
        slots = _own_slots(first)
        left = np.flatnonzero(self._slots.take(slots) >= 0)
        while left.size:
            numbers = self._slots.take(slots.take(left))
            firsts = first.take(left)
            is_word = self._packs[0].take(numbers) == firsts
            longer = np.flatnonzero(is_word & are_full(firsts))
            for number, pack in enumerate(self._packs[1:], start=1):
                is_word[longer] &= pack.take(numbers[longer]) == spelt.pack(number, left[longer])
            words, others = np.flatnonzero(is_word), np.flatnonzero(~is_word)
            found[left[words]] = numbers[words]
            left = left[others]
            slots[left] = (slots[left] + 1) % len(self._slots)
            left = left[np.flatnonzero(self._slots.take(slots.take(left)) >= 0)]
        return found


def _own_slots(packs: Numbers) -> Places:
    mixed = packs * _FACTOR
    mixed ^= mixed >> np.uint64(32)
    mixed *= _FACTOR
    return (mixed >> np.uint64(64 - _SLOT_BITS)).astype(np.intp)
