"""Which words of a text are spelt alike, told without making a text of each."""

from functools import cache

import numpy as np

from assay.engine.graders.english.code_points import Codes, Runs, text_of
from assay.engine.graders.english.flags import Flags
from assay.engine.graders.english.packed import MIXING_FACTOR
from assay.engine.graders.english.spelling import Numbers, are_ascii, are_full, spelling, unpacked

_BASE = int(MIXING_FACTOR)
_INVERSE = pow(_BASE, -1, 1 << 64)


def keys(codes: Codes, runs: Runs) -> Numbers:
    """A number for each run: the same for those spelt alike, and for few others."""
    size = len(codes).bit_length()
    sums = np.zeros(len(codes) + 1, np.uint64)
    # The digits of a number with the characters for digits, but for those before the run.
    np.cumsum((codes + np.uint64(1)) * _powers(_BASE, size)[: len(codes)], out=sums[1:])
    return (sums[runs.ends] - sums[runs.starts]) * _powers(_INVERSE, size)[runs.starts]


def distinct(codes: Codes, runs: Runs, most: int) -> set[str]:
    """The words that the runs are, but no more than asked about."""
    if not len(runs.starts):
        return set()
    packs = spelling(codes, runs).pack(0)
    are_told = are_ascii(packs) & ~are_full(packs)
    ordered = np.sort(packs[np.flatnonzero(are_told)])
    words = set(unpacked(ordered[np.flatnonzero(_are_new(ordered))[:most]]))
    others = np.flatnonzero(~are_told)
    if len(words) < most and others.size:
        words |= _others(codes, runs.chosen(others), most)
    return words


def _others(codes: Codes, runs: Runs, most: int) -> set[str]:
    all_keys = keys(codes, runs)
    order = np.argsort(all_keys)
    runs = runs.chosen(order)
    are_new = _are_new(all_keys[order])
    examples = np.flatnonzero(are_new)[:most]
    later = np.flatnonzero(~are_new)
    if len(examples) < most and not are_alike(codes, runs.chosen(later), runs.chosen(later - 1)):
        # Different words that share a key.
        examples = np.arange(len(order))
    chosen = zip(runs.starts[examples].tolist(), runs.ends[examples].tolist(), strict=True)
    return {text_of(codes[start:end]) for start, end in chosen}


def _are_new(ordered: Numbers) -> Flags:
    """Which differ from those before them."""
    are_new = np.ones(len(ordered), np.bool_)
    are_new[1:] = ordered[1:] != ordered[:-1]
    return are_new


def are_alike(codes: Codes, runs: Runs, others: Runs) -> bool:
    """Whether each run is spelt as the other with its number."""
    lengths = runs.lengths
    if not np.array_equal(lengths, others.lengths):
        return False
    offsets = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    spelt, otherwise = (codes[np.repeat(these.starts, lengths) + offsets] for these in (runs, others))
    return np.array_equal(spelt, otherwise)


@cache
def _powers(base: int, size: int) -> Numbers:
    powers = np.full(1 << size, base, np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)
