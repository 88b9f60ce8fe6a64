"""Intervals for the mean of independent scores between 0 and 1."""

import math

from assay.domain.errors import InvalidValueError
from assay.domain.stats.estimate import Interval, IntervalMethod
from assay.domain.stats.special import beta_quantile, normal_quantile

_PRECISION = 1e-12


def wilson(successes: float, n: int, *, level: float = 0.95) -> Interval:
    """Score interval of one proportion: close to its nominal level from a few dozen items on."""
    _check_counts(successes, n)
    low, high = score_limits(successes / n, n, quantile=normal_quantile(level))
    return Interval(low, high, IntervalMethod.WILSON, level)


def clopper_pearson(successes: float, n: int, *, level: float = 0.95) -> Interval:
    """Exact interval of one proportion: never covers less than its level, whatever the true rate.

    `successes` may be fractional, a sum of partial scores: no score in [0, 1] varies more than a yes/no item
    with the same mean, so the interval stays on the safe side.
    """
    _check_counts(successes, n)
    tail = (1 - level) / 2
    low = beta_quantile(tail, successes, n - successes + 1) if successes > 0 else 0.0
    high = beta_quantile(1 - tail, successes + 1, n - successes) if successes < n else 1.0
    return Interval(low, high, IntervalMethod.CLOPPER_PEARSON, level)


def unanimous_interval(value: float, n: int, *, least: float = 0.0, level: float = 0.95) -> Interval:
    """Exact interval of a mean when all `n` independent values came out as `value`, within [least, 1].

    At value 0 or 1 it is the Clopper-Pearson interval of 0 or n out of n.
    """
    unseen = unseen_share(n, level=level)
    kept = value * (1 - unseen)
    return Interval(kept + least * unseen, kept + unseen, IntervalMethod.UNANIMOUS, level)


def unseen_share(n: int, *, level: float = 0.95) -> float:
    """Largest share of a population that `n` draws can have missed altogether, one-sided."""
    return -math.expm1(math.log((1 - level) / 2) / n)


def normal_interval(value: float, standard_error: float, *, level: float = 0.95) -> Interval:
    """Plain interval of the central limit theorem, unclipped; too narrow below a few hundred items."""
    reach = normal_quantile(level) * standard_error
    return Interval(value - reach, value + reach, IntervalMethod.NORMAL, level)


def tango(wins: int, losses: int, n: int, *, level: float = 0.95) -> Interval:
    """Score interval (Tango 1998) of a difference of paired proportions; never without width."""
    if n < 1 or min(wins, losses) < 0 or wins + losses > n:
        raise InvalidValueError(
            f"{wins!r} wins and {losses!r} losses in {n!r} pairs: they must fit into n >= 1"
        )
    reach = normal_quantile(level)
    low = -_tango_upper(losses, wins, n, quantile=reach)
    return Interval(low, _tango_upper(wins, losses, n, quantile=reach), IntervalMethod.TANGO, level)


def score_limits(share: float, n: float, *, quantile: float) -> tuple[float, float]:
    """Limits of Wilson's interval for a share out of `n`, which may be an effective, fractional, number."""
    weight = quantile * quantile / n
    centre = (share + weight / 2) / (1 + weight)
    reach = quantile * math.sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    # Rounding must not push a limit past the share it has to contain.
    return max(0.0, min(share, centre - reach)), min(1.0, max(share, centre + reach))


def _tango_upper(wins: int, losses: int, n: int, *, quantile: float) -> float:
    observed = (wins - losses) / n

    def is_rejected(difference: float) -> bool:
        b = (2 * n - wins + losses) * difference - wins - losses
        c = -losses * difference * (1 - difference)
        # Probability of a loss, at its most likely value given the difference.
        loss = max(0.0, (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n))
        variance = max(0.0, 2 * loss + difference * (1 - difference)) / n
        return difference - observed > quantile * math.sqrt(variance)

    low, high = observed, 1.0
    while high - low > _PRECISION:
        middle = (low + high) / 2
        low, high = (low, middle) if is_rejected(middle) else (middle, high)
    return high


def _check_counts(successes: float, n: int) -> None:
    if n < 1 or not 0 <= successes <= n:
        raise InvalidValueError(f"{successes!r} successes out of {n!r}: give 0 <= successes <= n and n >= 1")
