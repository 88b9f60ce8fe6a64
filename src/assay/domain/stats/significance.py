"""Tests of paired differences, and corrections for testing many times."""

import random
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from assay.domain.errors import InvalidValueError

_SCALE = 10**12  # magnitudes as whole numbers, so that equal sums compare equal
_EXACT_WORK = 100_000  # well below 0.1 s of pure Python
_MAX_DISTINCT = 32


class PairedTest(StrEnum):
    """Where the p-value of a comparison comes from."""

    MCNEMAR = "mcnemar-exact"
    SIGN_FLIP_EXACT = "sign-flip-exact"
    SIGN_FLIP_SAMPLED = "sign-flip-sampled"


class Significance(NamedTuple):
    """Two-sided p-value and the test that gave it."""

    p_value: float
    test: PairedTest


def mcnemar(wins: int, losses: int) -> Significance:
    """Exact test on the discordant pairs: under the null each goes either way with probability one half."""
    if wins < 0 or losses < 0:
        raise InvalidValueError(f"{wins!r} wins and {losses!r} losses: counts cannot be negative")
    discordant = wins + losses
    ways = at_most = 1
    for rarer in range(min(wins, losses)):
        ways = ways * (discordant - rarer) // (rarer + 1)
        at_most += ways
    return Significance(min(1.0, 2 * at_most / 2**discordant), PairedTest.MCNEMAR)


def sign_flip(differences: Sequence[float], *, resamples: int = 9_999, seed: int = 0) -> Significance:
    """Permutation test of a zero mean: under the null each difference is as likely to have the other sign.

    Pass one sum per cluster. Exact where the possible sums are few enough to enumerate, sampled otherwise.
    """
    scaled = [round(difference * _SCALE) for difference in differences]
    magnitudes = sorted(abs(difference) for difference in scaled if difference)
    # Each magnitude is rounded by up to one half, on both sides of the comparison.
    observed = abs(sum(scaled)) - len(magnitudes)
    exact = _exact_tail(magnitudes, observed)
    if exact is not None:
        return Significance(min(1.0, exact), PairedTest.SIGN_FLIP_EXACT)
    extreme = _sampled_extremes(magnitudes, observed, resamples=resamples, seed=seed)
    return Significance((extreme + 1) / (resamples + 1), PairedTest.SIGN_FLIP_SAMPLED)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given, that bound the chance of even one false claim."""
    _check_p_values(p_values)
    count = len(p_values)
    adjusted = [0.0] * count
    running = 0.0
    for rank, index in enumerate(sorted(range(count), key=p_values.__getitem__)):
        running = max(running, min(1.0, (count - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given, that bound the expected share of false claims."""
    _check_p_values(p_values)
    count = len(p_values)
    adjusted = [0.0] * count
    running = 1.0
    ascending = sorted(range(count), key=p_values.__getitem__)
    for rank, index in reversed(list(enumerate(ascending, start=1))):
        running = min(running, p_values[index] * count / rank)
        adjusted[index] = running
    return adjusted


def _exact_tail(magnitudes: Sequence[int], observed: int) -> float | None:
    """P(|sum| >= observed) over all signs, or None where it would take too long.

    Follows the distribution of |sum|: scores such as 0, 1/2 and 1 give few distinct sums for any number of
    items.
    """
    chances = {0: 1.0}
    work = 0
    for magnitude in magnitudes:
        following: dict[int, float] = {}
        for total, chance in chances.items():
            for reached in (total + magnitude, abs(total - magnitude)):
                following[reached] = following.get(reached, 0.0) + chance / 2
        chances = following
        work += len(chances)
        if work > _EXACT_WORK:
            return None
    return sum(chance for total, chance in chances.items() if total >= observed)


def _sampled_extremes(magnitudes: Sequence[int], observed: int, *, resamples: int, seed: int) -> int:
    """How many of `resamples` random sign patterns give a sum at least as far from zero as observed."""
    source = random.Random(seed)  # noqa: S311  a reproducible draw, not a secret
    counted = _pooled(magnitudes)
    extreme = 0
    for _ in range(resamples):
        total = 0.0
        for magnitude, count in counted:
            # Fair signs are random bits: the plus signs are the ones.
            total += magnitude * (2 * source.getrandbits(count).bit_count() - count)
        extreme += abs(total) >= observed
    return extreme


def _pooled(magnitudes: Sequence[int]) -> list[tuple[float, int]]:
    """Distinct magnitudes with their counts; above 32, neighbours share their root mean square."""
    distinct = Counter(magnitudes)
    if len(distinct) <= _MAX_DISTINCT:
        return sorted(distinct.items())
    width = magnitudes[-1] / _MAX_DISTINCT
    pools: dict[int, list[int]] = {}
    for magnitude in magnitudes:
        pools.setdefault(min(int(magnitude / width), _MAX_DISTINCT - 1), []).append(magnitude)
    return [((sum(m * m for m in pool) / len(pool)) ** 0.5, len(pool)) for pool in pools.values()]


def _check_p_values(p_values: Sequence[float]) -> None:
    if any(not 0 <= p <= 1 for p in p_values):
        raise InvalidValueError(f"p-values {list(p_values)!r}: each must lie between 0 and 1")
