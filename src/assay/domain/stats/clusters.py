"""Values that belong together: repeats of one item, several questions about one passage."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from assay.domain.errors import InvalidValueError

_DUST = 1e-12


class Unit(NamedTuple):
    """One independent unit of randomisation: the sum of its values and how many they are."""

    total: float
    size: int


def units(values: Sequence[float], clusters: Sequence[str] | None = None) -> list[Unit]:
    """Values gathered by cluster, in order of first appearance; without clusters each value is a unit."""
    if clusters is None:
        return [Unit(value, 1) for value in values]
    if len(clusters) != len(values):
        raise InvalidValueError(
            f"{len(values)} values but {len(clusters)} cluster names: give one name per value"
        )
    gathered: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        gathered.setdefault(cluster, []).append(value)
    return [Unit(math.fsum(members), len(members)) for members in gathered.values()]


def clustered_standard_error(values: Sequence[float], clusters: Sequence[str] | None = None) -> float | None:
    """Cluster-robust standard error of the mean; None with fewer than two clusters.

    Miller (2024), with the usual factor G/(G-1) for G clusters, so that clusters of one value give exactly
    the standard error of independent values.
    """
    return unit_standard_error(units(values, clusters))


def unit_standard_error(gathered: Sequence[Unit]) -> float | None:
    if len(gathered) < 2:  # noqa: PLR2004  one unit says nothing about the spread between units
        return None
    squares = math.fsum(residual * residual for residual in residuals(gathered))
    count = len(gathered)
    return math.sqrt(count / (count - 1) * squares) / sum(unit.size for unit in gathered)


def residuals(gathered: Sequence[Unit]) -> list[float]:
    """How far each unit's total lies from what the overall mean predicts."""
    mean = unit_mean(gathered)
    return [_snapped(unit.total - mean * unit.size) for unit in gathered]


def unit_mean(gathered: Sequence[Unit]) -> float:
    return math.fsum(unit.total for unit in gathered) / sum(unit.size for unit in gathered)


def _snapped(residual: float) -> float:
    # Equal fractional scores leave rounding errors, which must not be taken for a spread.
    return 0.0 if abs(residual) < _DUST else residual
