"""Which of many stretches of a text are spelt alike, told without making a text of each."""

from collections.abc import Sequence

import numpy as np

from assay.engine.graders.english.flags import Flags, Places
from assay.engine.graders.english.packed import MASKS, MIXING_FACTOR, PACKED, Numbers
from assay.engine.graders.english.passage import BEYOND, Passage

_SLOT_BITS = 17
_ROUNDS = 4
_LOW, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


def spelling(passage: Passage, start: Places, stop: Places) -> tuple[list[Numbers], Flags]:
    """Numbers that only stretches of the same spelling share, and whether they tell all of a stretch."""
    length = stop - start
    numbers = [length.astype(np.uint64), passage.packed(start) & MASKS[np.minimum(length, PACKED)]]
    longer = np.flatnonzero(length > PACKED)
    if longer.size:
        rest = np.zeros(len(start), np.uint64)
        rest[longer] = (
            passage.packed(start[longer] + PACKED) & MASKS[np.minimum(length[longer] - PACKED, PACKED)]
        )
        numbers.append(rest)
    is_whole = length <= 2 * PACKED
    if not passage.text.isascii():
        for packed in numbers[1:]:
            is_whole &= ~_has_beyond(packed)
    return numbers, is_whole


def outer_characters(passage: Passage, start: Places, stop: Places) -> tuple[Numbers, Numbers]:
    """The first and the last eight characters of words, those of ASCII as small letters."""
    mask = MASKS[np.minimum(stop - start, PACKED)]
    return passage.packed_lower(start) & mask, passage.packed_lower(np.maximum(stop - PACKED, start)) & mask


def fingerprints(first: Numbers, last: Numbers, length: Places, bits: int) -> Numbers:
    """Numbers that words with the same outer characters share, and few others."""
    mixed = (first + length.astype(np.uint64)) * MIXING_FACTOR
    mixed = (mixed ^ mixed >> np.uint64(32) ^ last) * MIXING_FACTOR
    return (mixed ^ mixed >> np.uint64(32)) * MIXING_FACTOR >> np.uint64(64 - bits)


def alike(features: Sequence[Numbers]) -> Places:
    """For each place one with the same features; mostly the same for all that have them."""
    mixed = np.zeros(len(features[0]), np.uint64)
    for feature in features:
        mixed = (mixed ^ mixed >> np.uint64(31) ^ feature) * MIXING_FACTOR
    examples = np.arange(len(mixed))
    left = examples
    slots = np.zeros(1 << _SLOT_BITS, np.intp)
    for _ in range(_ROUNDS):
        slot = mixed[left] >> np.uint64(64 - _SLOT_BITS)
        slots[slot] = left
        chosen = slots[slot]
        same = np.logical_and.reduce([feature[left] == feature[chosen] for feature in features])
        told = np.flatnonzero(same)
        examples[left[told]] = chosen[told]
        left = left[np.flatnonzero(~same)]
        if not left.size:
            break
        mixed *= MIXING_FACTOR
    return examples


def _has_beyond(packed: Numbers) -> Flags:
    """Whether an octet is BEYOND: the usual trick for finding a zero, on the complement."""
    assert BEYOND == 0xFF  # noqa: PLR2004, S101 - the trick rests on it
    inverted = ~packed
    return ((inverted - _LOW) & packed & _HIGH) != 0
