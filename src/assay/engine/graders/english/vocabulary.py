"""Words of a list, found among the many of a text at once."""

from collections.abc import Iterable

import numpy as np

from assay.engine.graders.english.code_points import Codes, Runs, codes_of
from assay.engine.graders.english.flags import Places
from assay.engine.graders.english.packed import MIXING_FACTOR, PACKED, Numbers
from assay.engine.graders.english.spelling import Spelling, are_full, spelling

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
        lengths = runs.lengths
        fitting = np.flatnonzero((lengths >= self._shortest) & (lengths <= self._longest))
        if len(fitting) == len(lengths):
            return self._find(spelling(codes, runs))
        found = np.full(len(lengths), -1, np.intp)
        found[fitting] = self._find(spelling(codes, runs.chosen(fitting)))
        return found

    def _find(self, spelt: Spelling) -> Places:
        first = spelt.pack(0)
        slots = _own_slots(first)
        found = self._slots.take(slots).astype(np.intp)
        others = self._others(first, spelt, found)
        left = others[np.flatnonzero(found[others] >= 0)]
        found[others] = -1
        while left.size:
            slots[left] = (slots[left] + 1) % len(self._slots)
            numbers = self._slots.take(slots[left]).astype(np.intp)
            others = self._others(first[left], Spelling(spelt.octets, spelt.runs.chosen(left)), numbers)
            found[left] = numbers
            found[left[others]] = -1
            left = left[others[np.flatnonzero(numbers[others] >= 0)]]
        return found

    def _others(self, first: Numbers, spelt: Spelling, numbers: Places) -> Places:
        """Which runs are not the words of these numbers; where there is none, either may be said."""
        differ = self._packs[0].take(numbers) != first
        longer = np.flatnonzero(are_full(first) & ~differ)
        for number, pack in enumerate(self._packs[1:] if longer.size else (), start=1):
            differ[longer] |= pack.take(numbers[longer]) != spelt.pack(number, longer)
        return np.flatnonzero(differ)


def _own_slots(packs: Numbers) -> Places:
    mixed = packs * MIXING_FACTOR
    mixed ^= mixed >> np.uint64(32)
    mixed *= MIXING_FACTOR
    return (mixed >> np.uint64(64 - _SLOT_BITS)).astype(np.intp)
