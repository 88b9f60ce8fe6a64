"""Seeded bootstrap of a mean, over items or clusters of them."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

from assay.domain.errors import InvalidValueError
from assay.domain.stats.clusters import Unit, residuals, unit_mean, units
from assay.domain.stats.estimate import Interval, IntervalMethod
from assay.domain.stats.intervals import unanimous_interval
from assay.domain.stats.quantiles import quantile
from assay.domain.stats.special import normal_quantile

_MAX_STRATA = 32
_MIN_RESAMPLES = 100
_DUST = 1e-12


class _Stratum(NamedTuple):
    """Units that count as equal; `total` and `size` are those of one of them."""

    members: int
    total: float
    size: float


def bootstrap_interval(
    values: Sequence[float],
    clusters: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Bias-corrected, accelerated (BCa) interval of a mean of scores in [0, 1]; clusters are drawn whole."""
    if not values or resamples < _MIN_RESAMPLES:
        raise InvalidValueError(
            f"{len(values)} values, {resamples} resamples: give at least 1 and {_MIN_RESAMPLES}"
        )
    gathered = units(values, clusters)
    spread = residuals(gathered)
    mean = unit_mean(gathered)
    if not any(spread):
        return unanimous_interval(mean, len(gathered), level=level)
    means = _resampled_means(_strata(gathered, spread), resamples=resamples, seed=seed)
    low, high = (quantile(means, share) for share in _bca_shares(means, mean, spread=spread, level=level))
    # With a handful of resamples beyond it, a limit may land on the wrong side of the mean it has to contain.
    # Pooled units may reach a little past the scores they stand for.
    return Interval(max(0.0, min(low, mean)), min(1.0, max(high, mean)), IntervalMethod.BOOTSTRAP, level)


def _strata(gathered: Sequence[Unit], spread: Sequence[float]) -> list[_Stratum]:
    """Distinct units with their counts: a resample is then one multinomial draw, not one draw per unit.

    12,000 scores take a few distinct values, so this is a hundred times faster for the same distribution.
    Where there are more than 32, units with nearly equal residuals are pooled and the variance is kept.
    """
    distinct = Counter(gathered)
    if len(distinct) <= _MAX_STRATA:
        return [_Stratum(count, unit.total, unit.size) for unit, count in sorted(distinct.items())]
    least = min(spread)
    width = (max(spread) - least) / _MAX_STRATA
    pools: dict[int, list[tuple[float, int]]] = {}
    for unit, residual in zip(gathered, spread, strict=True):
        pool = min(int((residual - least) / width), _MAX_STRATA - 1)
        pools.setdefault(pool, []).append((residual, unit.size))
    return _pooled([pools[key] for key in sorted(pools)], unit_mean(gathered), spread=spread)


def _pooled(
    pools: Sequence[Sequence[tuple[float, int]]], mean: float, *, spread: Sequence[float]
) -> list[_Stratum]:
    residual_means = [math.fsum(residual for residual, _ in pool) / len(pool) for pool in pools]
    kept = math.fsum(len(pool) * centre**2 for pool, centre in zip(pools, residual_means, strict=True))
    stretch = math.sqrt(math.fsum(residual**2 for residual in spread) / kept)
    sizes = [sum(size for _, size in pool) / len(pool) for pool in pools]
    return [
        _Stratum(len(pool), mean * size + stretch * centre, size)
        for pool, size, centre in zip(pools, sizes, residual_means, strict=True)
    ]


def _resampled_means(strata: Sequence[_Stratum], *, resamples: int, seed: int) -> list[float]:
    source = random.Random(seed)  # noqa: S311  a reproducible draw, not a secret
    return sorted(_resampled_mean(strata, source) for _ in range(resamples))


def _resampled_mean(strata: Sequence[_Stratum], source: random.Random) -> float:
    unassigned = left = sum(stratum.members for stratum in strata)
    total = size = 0.0
    for stratum in strata:
        drawn = _binomial(left, stratum.members / unassigned, source)
        total += drawn * stratum.total
        size += drawn * stratum.size
        left -= drawn
        unassigned -= stratum.members
    return total / size


def _binomial(n: int, p: float, source: random.Random) -> int:
    """One draw from one uniform number, by searching outwards from the mode.

    `random.binomialvariate` needs Python 3.12, and only `random.random` promises the same numbers in every
    version.
    """
    if n == 0 or p >= 1:
        return n
    mode = int((n + 1) * p)
    odds = p / (1 - p)
    log_mode = math.lgamma(n + 1) - math.lgamma(mode + 1) - math.lgamma(n - mode + 1)
    chance_up = chance_down = math.exp(log_mode + mode * math.log(p) + (n - mode) * math.log1p(-p))
    rest = source.random() - chance_up
    if rest < 0:
        return mode
    up = down = mode
    # Past either end of the range the chance is 0 and stays 0, so that side is never returned.
    while up < n or down > 0:
        chance_up *= odds * (n - up) / (up + 1)
        up += 1
        rest -= chance_up
        if rest < 0:
            return up
        chance_down *= down / (odds * (n - down + 1))
        down -= 1
        rest -= chance_down
        if rest < 0:
            return down
    return mode


def _bca_shares(
    means: Sequence[float], mean: float, *, spread: Sequence[float], level: float
) -> tuple[float, float]:
    """Which quantiles of the resampled means bound the interval, corrected for bias and skew."""
    # Half of the ties, found with a margin for rounding, count as below.
    below = (sum(value < mean - _DUST for value in means) + sum(value <= mean + _DUST for value in means)) / 2
    share = min(max(below / len(means), 1 / len(means)), 1 - 1 / len(means))
    bias = NormalDist().inv_cdf(share)
    squares = math.fsum(residual**2 for residual in spread)
    acceleration = math.fsum(residual**3 for residual in spread) / (6 * squares**1.5)
    reach = normal_quantile(level)
    low, high = (
        NormalDist().cdf(bias + (bias + z) / (1 - acceleration * (bias + z))) for z in (-reach, reach)
    )
    return low, high
