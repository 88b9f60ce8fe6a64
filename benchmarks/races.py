"""Races of several models that stop wave by wave: how often anything false is claimed, and what is asked.

    python -m benchmarks.races [--repeats 1000] [--sizes 1000,12032] [--seed 0]

Each setting is a benchmark that some models have answered, asked in as many random orders as there are
repeats. Every two models are compared at alpha divided by the number of pairs, from the first item to the
last, also after they are settled. A repeat is wrong if anything false is ever claimed about any pair by any
of the rules: a direction, a lead beyond the margin, equivalence within it. Settings, with the points apart:

- `equal`: all score the same, on different items
- `ladder`: each lies 3 points above the next
- `one ahead`: one lies 10 points above the others, which score the same

`decided` is the share of items until a pair of models is settled, `asked` that of the attempts made: a model
is asked until all its pairs are settled, to the end of a wave, and meanwhile one wave more is under way.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchmarks.sooner import ALPHA, MARGIN, Steps, decided_after

Scores = NDArray[np.float32]
SETTINGS = ("equal", "ladder", "one ahead")
_BEST = 0.7
_LEAST_WAVE = 8
_WAVE_SHARE = 32


def shares(setting: str, models: int) -> list[float]:
    if setting == "ladder":
        return [_BEST - 0.03 * place for place in range(models)]
    return [_BEST] + [_BEST - (0.1 if setting == "one ahead" else 0.0)] * (models - 1)


def answered(setting: str, models: int, items: int, source: np.random.Generator) -> Scores:
    """One row a model: exactly its share is right, more of the items that are easy for all of them."""
    ease = source.normal(size=items)
    rows = np.zeros((models, items), dtype=np.float32)
    for row, share in zip(rows, shares(setting, models), strict=True):
        liked = np.argsort(-(ease + source.normal(size=items)))
        row[liked[: round(share * items)]] = 1
    return rows


def waves(items: int) -> NDArray[np.int64]:
    """Where each wave ends."""
    ends: list[int] = []
    while not ends or ends[-1] < items:
        start = ends[-1] if ends else 0
        ends.append(min(items, start + max(_LEAST_WAVE, start // _WAVE_SHARE)))
    return np.array(ends)


def simulate(rows: Scores, repeats: int, source: np.random.Generator) -> tuple[float, float, float]:
    """The shares: of repeats with a false claim, of items until a pair is settled, of attempts made."""
    models, items = rows.shape
    places = np.tile(np.arange(items, dtype=np.int32), (repeats, 1))
    order = source.permuted(places, axis=1).T
    pairs = list(combinations(range(models), 2))
    enough = 2 * len(pairs) / ALPHA
    is_false = np.zeros(repeats, dtype=np.bool_)
    needed = np.zeros((models, repeats), dtype=np.int64)
    settled: list[float] = []
    for ours, theirs in pairs:
        values = ((1 + rows[ours] - rows[theirs]) / 2)[order]
        true = float(rows[ours].mean() - rows[theirs].mean())
        after, wrong = _claims(values, true, enough)
        is_false |= wrong
        settled.append(float(after.mean()) / items)
        for model in (ours, theirs):
            needed[model] = np.maximum(needed[model], after)
    ends = waves(items)
    reached = np.minimum(np.searchsorted(ends, needed) + 1, len(ends) - 1)
    return float(is_false.mean()), float(np.mean(settled)), float(ends[reached].mean()) / items


def _claims(values: Scores, true: float, enough: float) -> tuple[Steps, NDArray[np.bool_]]:
    items = len(values)
    above: dict[float, Steps] = {}
    below: dict[float, Steps] = {}
    is_false = np.zeros(values.shape[1], dtype=np.bool_)
    dust = 1e-9
    for null in (-MARGIN, 0.0, MARGIN):
        above[null] = decided_after(values, (1 + null) / 2, enough)
        below[null] = decided_after(1 - values, (1 - null) / 2, enough)
        if true <= null + dust:
            is_false |= above[null] <= items
        if true >= null - dust:
            is_false |= below[null] <= items
    direction = np.minimum(above[0.0], below[0.0])
    equivalent = np.maximum(above[-MARGIN], below[MARGIN])
    return np.minimum(np.minimum(direction, equivalent), items), is_false


def rows(sizes: Sequence[int], counts: Sequence[int], repeats: int, seed: int) -> Iterator[list[str]]:
    for items in sizes:
        for models in counts:
            for number, setting in enumerate(SETTINGS):
                source = np.random.default_rng([seed, items, models, number])
                found = simulate(answered(setting, models, items, source), repeats, source)
                yield [f"{items:,}", str(models), setting, *(f"{100 * one:.1f} %" for one in found)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--sizes", default="1000,12032")
    parser.add_argument("--models", default="2,4")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    started = time.perf_counter()
    print(f"{wanted.repeats} orders a setting, alpha {ALPHA:g}, margin {100 * MARGIN:g} point\n")
    heads = ("items", "models", "setting", "ever wrong", "decided", "asked")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)
    sizes, counts = ([int(one) for one in text.split(",")] for text in (wanted.sizes, wanted.models))
    for row in rows(sizes, counts, wanted.repeats, wanted.seed):
        print(f"| {' | '.join(row)} |", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
