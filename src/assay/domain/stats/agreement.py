"""How far two or more raters agree beyond chance."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from assay.domain.errors import InvalidValueError


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two raters agree, and how much of that exceeds chance.

    `base_rate` is what always giving the reference's commonest label would score; `kappa` is None where both
    raters gave one and the same label to every item.
    """

    kappa: float | None
    observed: float
    by_chance: float
    base_rate: float
    n: int


def cohen_kappa(labels: Sequence[Hashable], reference: Sequence[Hashable]) -> Agreement:
    """Agreement of one rater, such as a judge, with reference labels of the same items."""
    if not labels or len(labels) != len(reference):
        raise InvalidValueError(
            f"{len(labels)} labels against {len(reference)} reference labels: give as many of both"
        )
    n = len(labels)
    given, expected = Counter(labels), Counter(reference)
    agreed = sum(ours == theirs for ours, theirs in zip(labels, reference, strict=True))
    chance = sum(count * expected[label] for label, count in given.items())
    kappa = (agreed * n - chance) / (n * n - chance) if chance < n * n else None
    return Agreement(kappa, agreed / n, chance / (n * n), max(expected.values()) / n, n)


def krippendorff_alpha(ratings: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Nominal alpha over each item's ratings (None: not rated); None where they never vary or pair up."""
    paired = [Counter(rating for rating in item if rating is not None) for item in ratings]
    paired = [counts for counts in paired if counts.total() > 1]
    totals: Counter[Hashable] = Counter()
    for counts in paired:
        totals.update(counts)
    n = totals.total()
    by_chance = n * n - sum(count * count for count in totals.values())
    if by_chance == 0:
        return None
    disagreements = sum(
        (counts.total() ** 2 - sum(count * count for count in counts.values())) / (counts.total() - 1)
        for counts in paired
    )
    return 1 - (n - 1) * disagreements / by_chance
