"""How often `assay fidelity` is right about simulated providers, at the number of items it asks for.

    python -m benchmarks.fidelity [--repeats 200] [--samples 2] [--pilot 300] [--seed 0]

In each repeat the reference alone is asked a pilot; the size follows from how often it disagrees with itself.
Reference and candidates are then asked that many items: one that serves the same model, one that has lost 3
points, and one that has lost them by winning 4 points and losing 7, which takes more items than the reference
alone can tell. A last row judges a family of three faithful candidates together.

The questions are those of a model that knows most answers, does not know some, and wavers on the rest.
"""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.domain.stats import (
    EquivalenceRule,
    EquivalenceVerdict,
    ItemScores,
    equivalence,
    repeat_noise,
    same_model_noise,
)

Chances = Sequence[float]
Degrade = Callable[[float, random.Random], float]
"""From the reference's chance of a right answer to that of another endpoint."""

POINTS = 0.03
_KNOWN, _UNKNOWN = 0.62, 0.23


def faithful(chance: float, _source: random.Random) -> float:
    return chance


def degraded(chance: float, source: random.Random) -> float:
    """Loses 3 points: of the items that are known or guessed, so many that the mean falls by as much."""
    mean = _KNOWN + (1 - _KNOWN - _UNKNOWN) / 2
    return 0.0 if source.random() < POINTS / mean else chance


def churning(chance: float, source: random.Random) -> float:
    """Loses 7 points and wins 4 elsewhere."""
    mean = _KNOWN + (1 - _KNOWN - _UNKNOWN) / 2
    lost, won = source.random() < 0.07 / mean, source.random() < 0.04 / (1 - mean)
    if chance and lost:
        return 0.0
    return 1.0 if chance < 1 and won else chance


@dataclass(frozen=True, slots=True)
class Trial:
    """One repeat: the sizes asked for, and a verdict for each kind of candidate."""

    items: int
    verdicts: dict[str, EquivalenceVerdict]
    family: tuple[EquivalenceVerdict, ...]


def trial(seed: int, *, samples: int = 2, pilot: int = 300, rule: EquivalenceRule | None = None) -> Trial:
    rule = rule or EquivalenceRule()
    source = random.Random(seed)  # noqa: S311  a reproducible draw, not a secret
    noise = _own_noise(_questions(pilot, source), samples, source)
    items = rule.items_needed(noise)
    kinds = {"faithful": faithful, "degraded": degraded, "churning": churning}
    verdicts = {
        name: _verdict(_questions(items, source), kind, samples, source, rule=rule)
        for name, kind in kinds.items()
    }
    return Trial(items, verdicts, _family(rule.items_needed(noise, 3), samples, source, rule=rule))


def _questions(count: int, source: random.Random) -> Chances:
    picks = [source.random() for _ in range(count)]
    return [1.0 if pick < _KNOWN else 0.0 if pick < _KNOWN + _UNKNOWN else 0.5 for pick in picks]


def _asked(chance: float, samples: int, source: random.Random) -> list[float]:
    return [float(source.random() < chance) for _ in range(samples)]


def _own_noise(chances: Chances, samples: int, source: random.Random) -> float:
    scores = [
        (str(item), score) for item, one in enumerate(chances) for score in _asked(one, samples, source)
    ]
    found = repeat_noise([score for _, score in scores], [item for item, _ in scores])
    assert found is not None
    return same_model_noise(found.within_variance, found.items, samples=samples)


def _verdict(
    chances: Chances, kind: Degrade, samples: int, source: random.Random, *, rule: EquivalenceRule
) -> EquivalenceVerdict:
    items = [
        ItemScores(_asked(kind(one, source), samples, source), _asked(one, samples, source), str(number))
        for number, one in enumerate(chances)
    ]
    return equivalence(items, samples=samples, rule=rule).verdict


def _family(
    items: int, samples: int, source: random.Random, *, rule: EquivalenceRule
) -> tuple[EquivalenceVerdict, ...]:
    chances = _questions(items, source)
    reference = [_asked(one, samples, source) for one in chances]
    found: list[EquivalenceVerdict] = []
    for _ in range(3):
        scores = [
            ItemScores(_asked(one, samples, source), theirs, str(number))
            for number, (one, theirs) in enumerate(zip(chances, reference, strict=True))
        ]
        found.append(equivalence(scores, samples=samples, rule=rule, candidates=3).verdict)
    return tuple(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--pilot", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    if wanted.samples < 2:  # noqa: PLR2004
        parser.error("--samples must be at least 2: one says nothing about noise")
    rule = EquivalenceRule()
    trials = [
        trial(wanted.seed * wanted.repeats + number, samples=wanted.samples, pilot=wanted.pilot, rule=rule)
        for number in range(wanted.repeats)
    ]
    sizes = sorted(one.items for one in trials)
    middle = sizes[len(sizes) // 2]
    print(
        f"{wanted.repeats} repeats, {wanted.samples} samples, margin {100 * rule.margin:g} points,"
        f" alpha {rule.alpha:g}, power {rule.power:g}"
    )
    print(f"items needed, from {wanted.pilot} of the reference: {sizes[0]} to {sizes[-1]}, median {middle}")
    for name in trials[0].verdicts:
        _print(name, Counter(one.verdicts[name] for one in trials), wanted.repeats)
    alarms = sum(any(v is not EquivalenceVerdict.EQUIVALENT for v in one.family) for one in trials)
    wrong = {EquivalenceVerdict.WORSE, EquivalenceVerdict.BETTER}
    false = sum(bool(wrong & set(one.family)) for one in trials)
    print(f"three faithful together: {false} of {wanted.repeats} families with a false alarm,")
    print(f"    {wanted.repeats - alarms} with all three called equivalent")


def _print(name: str, counts: Counter[EquivalenceVerdict], repeats: int) -> None:
    shares = ", ".join(
        f"{one.value} {counts[one]} ({100 * counts[one] / repeats:.1f} %)" for one in EquivalenceVerdict
    )
    print(f"{name}: {shares}")


if __name__ == "__main__":
    main()
