"""Which differences a number of items can show."""

import math
from collections.abc import Callable
from statistics import NormalDist

from assay.domain.errors import InvalidValueError
from assay.domain.stats.special import normal_quantile, student_quantile

_POWER = 0.8
_PRECISION = 1e-9
# Of an item's difference: at most 1, times the number of items that share a passage.
_LARGEST_SQUARE = 1_000
_FEWEST_UNITS = 6  # five units that all agree still give p = 2/2⁵ = 0.0625


def items_needed(half_width: float, p: float = 0.5, *, level: float = 0.95) -> int:
    """Independent yes/no items for an interval of ± `half_width` around a rate of `p`."""
    if half_width <= 0 or not 0 <= p <= 1:
        raise InvalidValueError(
            f"half-width {half_width!r} at rate {p!r}: give half-width > 0 and 0 <= rate <= 1"
        )
    return max(1, math.ceil(p * (1 - p) * (normal_quantile(level) / half_width) ** 2))


def finite_population_correction(n: int, population: int) -> float:
    """Factor on the standard error of `n` items that stand for a benchmark of `population` items."""
    if not 1 <= n <= population:
        raise InvalidValueError(f"{n!r} items out of {population!r}: give 1 <= n <= population")
    return math.sqrt((population - n) / (population - 1)) if population > 1 else 0.0


def detectable_by_mcnemar(n: int, discordance: float, *, level: float = 0.95) -> float | None:
    """Smallest difference found in 80 % of comparisons of `n` yes/no pairs; None if not even 1 would be.

    Connor (1987), less the one pair that an exact test costs. A difference cannot exceed the share of
    discordant pairs, so an effect larger than the observed share raises that share with it; this also gives
    an answer, about 10/n, where no pair is discordant.
    """
    significance, power = normal_quantile(level), NormalDist().inv_cdf(_POWER)

    def is_found(effect: float) -> bool:
        return _is_found(effect, max(discordance, effect), n, significance=significance, finds=power)

    if not is_found(1.0):
        return None
    low, high = 0.0, 1.0
    while high - low > _PRECISION:
        middle = (low + high) / 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high


def detectable_by_mean(standard_error: float, units: int, *, level: float = 0.95) -> float | None:
    """Smallest mean difference found in 80 % of comparisons this precise; None if not even 1 would be."""
    if units < _FEWEST_UNITS:
        return None
    if standard_error == 0:
        return detectable_by_mcnemar(units, 0.0, level=level)
    effect = (student_quantile(level, units - 1) + NormalDist().inv_cdf(_POWER)) * standard_error
    return effect if effect <= 1 else None


def pairs_to_find(square: float, difference: float, *, level: float = 0.95, power: float = 0.9) -> int:
    """Items after which a difference is found with `power`; `square` is the mean square of an item's."""
    if not 0 <= square <= _LARGEST_SQUARE or not 0 < difference <= 1:
        raise InvalidValueError(
            f"mean square {square!r}, difference {difference!r}: give 0 to {_LARGEST_SQUARE},"
            " 0 < difference <= 1"
        )
    significance, finds = normal_quantile(level), NormalDist().inv_cdf(power)
    # Items that are all won or all lost already have a mean square as large as the difference.
    share = max(square, difference)
    return _least(lambda n: _is_found(difference, share, n, significance=significance, finds=finds))


def pairs_needed(noise: float, margin: float, *, level: float = 0.95, power: float = 0.9) -> int:
    """Items after which a loss of `margin` is found, and no loss is called one smaller than it, with `power`.

    `noise` is the mean square of an item's difference where there is no loss. The loss adds to it what items
    that are lost altogether add; as in `detectable_by_mcnemar`, an exact test costs one pair.
    """
    if not 0 <= noise <= 1 or not 0 < margin < 1:
        raise InvalidValueError(f"noise {noise!r}, margin {margin!r}: give a noise of 0 to 1, 0 < margin < 1")
    significance = normal_quantile(level)
    finds, shows = NormalDist().inv_cdf(power), NormalDist().inv_cdf((1 + power) / 2)
    square = min(1.0, noise + margin)

    def is_enough(n: int) -> bool:
        rare = significance**2 / (2 * n)
        reach = rare + math.sqrt(significance**2 * noise / n + rare**2)
        is_shown = reach + shows * math.sqrt(noise / n) <= margin
        return is_shown and _is_found(margin, square, n, significance=significance, finds=finds)

    return _least(is_enough)


def _is_found(effect: float, share: float, n: int, *, significance: float, finds: float) -> bool:
    """Connor (1987), less the one pair that an exact test costs; `share` is the mean square."""
    needed = significance * math.sqrt(share * n) + finds * math.sqrt((share - effect**2) * n)
    return needed <= effect * n - 1


def _least(is_enough: Callable[[int], bool]) -> int:
    high = 1
    while not is_enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
