"""Distribution functions that the standard library lacks."""

import math
from statistics import NormalDist

from assay.domain.errors import InvalidValueError

_RELATIVE_PRECISION = 1e-15
_TINY = 1e-300
_POINT_MASS = 1e-9  # with so small a shape nearly all of the distribution lies at that end
_MAX_STEPS = 100_000


def normal_quantile(level: float) -> float:
    """Half-width, in standard errors, of a central normal interval of this level."""
    _check_level(level)
    return NormalDist().inv_cdf(0.5 + level / 2)


def student_quantile(level: float, degrees: float) -> float:
    """Half-width, in standard errors, of a central Student interval of this level."""
    _check_level(level)
    # With k degrees of freedom t² / (t² + k) is Beta(1/2, k/2).
    share = beta_quantile(level, 0.5, degrees / 2)
    return math.sqrt(degrees * share / (1 - share))


def beta_cdf(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function I_x(a, b)."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    # The fraction converges in about sqrt(max(a, b)) steps on this side of the mean and poorly on the other.
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    log_front = a * math.log(x) + b * math.log1p(-x) - _log_beta(a, b)
    return math.exp(log_front) / (a * _beta_fraction(x, a, b))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = probability: Newton steps, kept inside a shrinking bracket."""
    if not 0 < probability < 1:
        return min(max(probability, 0.0), 1.0)
    if min(a, b) < _POINT_MASS:
        return 0.0 if a < b else 1.0
    low, high, x = 0.0, 1.0, a / (a + b)
    for _ in range(200):
        excess = beta_cdf(x, a, b) - probability
        low, high = (low, x) if excess > 0 else (x, high)
        log_density = (a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - _log_beta(a, b)
        density = math.exp(log_density)
        following = x - excess / density if density > 0 else low
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) <= _RELATIVE_PRECISION * x:
            return following
        x = following
    return x


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Denominator 1 + d1/(1 + d2/(1 + …)) of the continued fraction for I_x(a, b), by Lentz's method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, _MAX_STEPS):
        half = step // 2
        if step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + (step - 1)) * (a + step))
        else:
            term = half * (b - half) * x / ((a + (step - 1)) * (a + step))
        upper = _away_from_zero(1 + term / upper)
        lower = 1 / _away_from_zero(1 + term * lower)
        value *= upper * lower
        if abs(upper * lower - 1) < _RELATIVE_PRECISION:
            break
    return value


def _away_from_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InvalidValueError(f"confidence level {level!r}: give a number between 0 and 1, such as 0.95")
