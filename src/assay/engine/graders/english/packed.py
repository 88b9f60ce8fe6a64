"""Characters that follow one another as one number, so that words are compared at once."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.uint64]

PACKED = 8
# Multiplied with it, numbers that differ in few bits differ in many.
MIXING_FACTOR = np.uint64(0x9E3779B97F4A7C15)
# By how many characters are kept.
MASKS = np.array([(1 << 8 * length) - 1 for length in range(PACKED + 1)], np.uint64)


def number(word: bytes) -> int:
    return int.from_bytes(word, "little")


def overlapping(text: bytes) -> Numbers:
    """The characters from each place on, as far as there are enough of them."""
    return np.ndarray((len(text) - PACKED + 1,), "<u8", text, strides=(1,))
