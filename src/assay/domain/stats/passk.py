"""Scores over several samples of one item."""

import math
from collections import Counter
from collections.abc import Iterable

from assay.domain.errors import InvalidValueError


def pass_at_k(n: int, c: int, k: int) -> float:
    """Unbiased chance that at least one of `k` samples is right, from `c` right ones among `n`."""
    _check(n, c, k)
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Unbiased chance that all of `k` samples are right (pass^k), from `c` right ones among `n`."""
    _check(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def majority_vote(answers: Iterable[str | None]) -> str | None:
    """The most frequent answer, the earliest of equals; an answer that is None does not vote."""
    votes = Counter(answer for answer in answers if answer is not None)
    return max(votes, key=votes.__getitem__, default=None)


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n or not 1 <= k <= n:
        raise InvalidValueError(
            f"{c!r} right of {n!r} samples at k = {k!r}: give 0 <= c <= n and 1 <= k <= n"
        )
