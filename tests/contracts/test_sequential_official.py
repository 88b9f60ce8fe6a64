"""Sequential decisions on official verdicts, asked in many random orders, against the whole benchmark."""

import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest

from assay.domain.stats import EquivalenceRule, EquivalenceVerdict, PairedSequence, Population, UnitScores

pytestmark = pytest.mark.official
ORDERS = 200
# Of 200 orders with an error in 5 % each, more are wrong by chance in one of a thousand cases.
MOST_WRONG = 21
RULE = EquivalenceRule(margin=0.01)
Pair = tuple[float, float]


@dataclass(frozen=True)
class Raced:
    """Orders that contradict the whole benchmark, those that decided its direction, the share asked."""

    wrong: int
    direction: int
    share: float


def raced(pairs: Sequence[Pair]) -> Raced:
    difference = sum(ours - theirs for ours, theirs in pairs) / len(pairs)
    is_true = {
        EquivalenceVerdict.BETTER: difference > 0,
        EquivalenceVerdict.WORSE: difference < 0,
        EquivalenceVerdict.EQUIVALENT: abs(difference) < RULE.margin,
        EquivalenceVerdict.INCONCLUSIVE: True,
    }
    population = Population.of([1] * len(pairs))
    order = list(pairs)
    source = random.Random(1)  # noqa: S311  a reproducible draw, not a secret
    wrong = direction = asked = 0
    for _ in range(ORDERS):
        source.shuffle(order)
        sequence = PairedSequence(population, RULE)
        for ours, theirs in order:
            if (
                sequence.add(UnitScores((ours,)), UnitScores((theirs,)))
                is not EquivalenceVerdict.INCONCLUSIVE
            ):
                break
        wrong += not is_true[sequence.verdict]
        direction += sequence.verdict in {EquivalenceVerdict.BETTER, EquivalenceVerdict.WORSE}
        asked += sequence.units
    return Raced(wrong, direction, asked / ORDERS / len(pairs))


@pytest.fixture(scope="module")
def mmlu_pro(official: Path) -> list[float]:
    [path] = (official / "mmlu_pro").glob("official_outputs_*.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [float(row["pred"] == row["answer"]) for row in map(json.loads, lines)]


@pytest.mark.parametrize(("lost", "won", "most"), [(0.12, 0.02, 0.04), (0.2, 0.1, 0.08), (0.32, 0.02, 0.01)])
def test_a_large_loss_on_mmlu_pro_is_found_in_a_small_share_of_the_items(
    mmlu_pro: list[float], lost: float, won: float, most: float
) -> None:
    """The stored verdicts, against the same with items lost and won at random, as shares of all items."""
    source = random.Random(2)  # noqa: S311
    right = sum(mmlu_pro) / len(mmlu_pro)
    worse = [
        float(source.random() >= lost / right) if score else float(source.random() < won / (1 - right))
        for score in mmlu_pro
    ]
    found = raced(list(zip(worse, mmlu_pro, strict=True)))
    assert found.wrong == 0
    assert found.direction == ORDERS
    assert found.share <= most


def test_official_result_sets_are_decided_as_by_the_whole_benchmark(official: Path) -> None:
    path = official / "swe_bench_pro" / "official_eval_results.json.gz"
    results: dict[str, dict[str, bool]] = json.loads(gzip.decompress(path.read_bytes()))
    pairs = list(combinations(sorted(results), 2))
    assert pairs
    wrong, shares = 0, list[float]()
    for ours, theirs in random.Random(3).sample(pairs, min(8, len(pairs))):  # noqa: S311
        shared = sorted(results[ours].keys() & results[theirs].keys())
        found = raced([(float(results[ours][item]), float(results[theirs][item])) for item in shared])
        assert found.wrong <= MOST_WRONG
        wrong += found.wrong
        shares.append(found.share)
    assert wrong <= 0.05 * ORDERS * len(shares)
    assert min(shares) < 0.7
