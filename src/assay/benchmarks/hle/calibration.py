"""How far stated confidence is from the share of right answers: root mean square over bins of 100 answers."""

import math
from collections.abc import Sequence
from itertools import groupby

_BIN = 100


def official_calibration_error(confidence: Sequence[float], correct: Sequence[bool]) -> float | None:
    """As the official script computes it, without its last bin; None where the script crashes.

    It sorts by confidence with an unstable method, so that its figure depends on the processor from the third
    decimal on. Here equal confidences stay in the order they are given in.
    """
    if len(confidence) < _BIN:
        return None
    order = sorted(range(len(confidence)), key=lambda index: confidence[index])
    rights = [float(correct[index]) for index in order]
    return _root_mean_square([confidence[index] for index in order], rights, counts_last=False)


def calibration_error(confidence: Sequence[float], correct: Sequence[bool]) -> float | None:
    """All bins count, and answers of equal confidence share their mean, so the order does not matter."""
    if not confidence:
        return None
    pairs = sorted(zip(confidence, correct, strict=True))
    rights: list[float] = []
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        tied = [right for _, right in group]
        rights += [sum(tied) / len(tied)] * len(tied)
    return _root_mean_square([stated for stated, _ in pairs], rights, counts_last=True)


def _root_mean_square(confidence: Sequence[float], rights: Sequence[float], *, counts_last: bool) -> float:
    n = len(confidence)
    starts = [bin_ * _BIN for bin_ in range(max(1, n // _BIN))]
    # The remainder belongs to the last bin.
    stops = [*starts[1:], n]
    bins = list(zip(starts, stops, strict=True))
    counted = bins if counts_last else bins[:-1]
    error = 0.0
    for start, stop in counted:
        size = stop - start
        gap = (math.fsum(confidence[start:stop]) - math.fsum(rights[start:stop])) / size
        error += size / n * gap**2
    return math.sqrt(error)
