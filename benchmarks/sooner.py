"""How soon a paired comparison is decided that may stop after any item, and how often it is wrong.

    python -m benchmarks.sooner [--repeats 2000] [--sizes 200,1000,3000,12032] [--seed 0]

Each setting is one benchmark with a known difference, asked in as many random orders as there are repeats. A
repeat is wrong if anything false is ever claimed, also after the first decision: a wrong direction, or
equivalence of models that lie the margin or more apart. Beside it stand the share of items that other
sequences take to tell the direction of the difference, and that of a test whose size is fixed beforehand by
someone who knows the difference:

- betting with a predictable plug-in, truncated at 3/4 ("hedged"; Waudby-Smith and Ramdas 2023, section 5)
- empirical Bernstein without replacement (Waudby-Smith and Ramdas 2020, theorem 3.2)
- Hoeffding without replacement (the same, theorem 3.1), which improves on Serfling's bound

Settings: in `items` each item is drawn by itself; in `passages` four that mostly go the same way are drawn
together; in `missing` 2 % of the answers of ours are missing, all of them wrong ones.
"""

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from assay.domain.stats.betting import BETS

Values = NDArray[np.float64]
Draws = NDArray[np.float32]  # quarters are exact
Codes = NDArray[np.int8]
Steps = NDArray[np.int64]

ALPHA = 0.05
MARGIN = 0.01
DIFFERENCES = (0.0, 0.01, 0.03, 0.1, 0.3)
KINDS = ("items", "passages", "missing")
_DISCORDANT = 0.3
_MISSING = 0.02
_QUARTERS = 4  # a code counts quarters: 0 is a difference of -1, 2 none, 4 a difference of 1
_DUST = 1e-6


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The least and the most that the difference of each unit can be, in quarters, and the true mean."""

    low: Codes
    high: Codes
    difference: float
    discordant: float

    @classmethod
    def of(cls, kind: str, items: int, difference: float) -> "Benchmark":
        if kind == "passages":
            return cls._passages(items // 4, difference)
        discordant = max(_DISCORDANT, 1.5 * difference)
        # Rounded up: the smallest difference must not lie within the margin.
        lead = math.ceil(difference * items - _DUST)
        losses = round((discordant - difference) * items / 2)
        codes = [4] * (losses + lead) + [0] * losses
        codes += [2] * (items - len(codes))
        low = np.array(codes, dtype=np.int8)
        high = low.copy()
        if kind == "missing":
            # Theirs was right, so ours may have scored 1 less or the same.
            high[losses + lead : losses + lead + round(_MISSING * items)] = 2
        return cls(low, high, lead / items, (2 * losses + lead) / items)

    @classmethod
    def _passages(cls, units: int, difference: float) -> "Benchmark":
        lead = math.ceil(difference * units - _DUST)
        whole, half = round(0.1 * units), round(0.1 * units)
        codes = [4] * (whole + lead) + [0] * whole + [3] * half + [1] * half
        codes += [2] * (units - len(codes))
        low = np.array(codes, dtype=np.int8)
        square = float((((low - 2) / 2) ** 2).mean())
        return cls(low, low, lead / units, square)

    def orders(self, repeats: int, source: np.random.Generator) -> tuple[Draws, Draws]:
        """Least and most, as shares from 0 to 1: one row for each place in the order, one column a repeat."""
        places = np.tile(np.arange(len(self.low), dtype=np.int32), (repeats, 1))
        order = source.permuted(places, axis=1).T
        low, high = ((codes / _QUARTERS).astype(np.float32) for codes in (self.low, self.high))
        return low[order], high[order]


def _shape(values: Draws) -> tuple[int, int]:
    return int(values.shape[0]), int(values.shape[1])


def decided_after(values: Draws, null: float, enough: float) -> Steps:
    """For each column, after how many values `BettingTest` rejects the null; one more than all if never."""
    units, repeats = _shape(values)
    found = np.full(repeats, units + 1, dtype=np.int64)
    rest = np.full(repeats, null * units)
    bets = np.array(BETS)[:, None]
    wealth = np.full((len(BETS), repeats), 1 / len(BETS))
    for place in range(units):
        mean = rest / (units - place)
        rest -= values[place]
        ratio: Values = np.ones(repeats)
        np.divide(values[place], mean, out=ratio, where=mean > _DUST)
        wealth *= 1 - bets + bets * ratio
        is_over = (wealth.sum(axis=0) >= enough) | (rest < -_DUST)
        found[is_over & (found > units)] = place + 1
        if (found <= units).all():
            break
    return found


class _Plugin:
    """Running mean and variance of the values so far, and the bet that follows from them."""

    def __init__(self, repeats: int, alpha: float) -> None:
        self._log = math.log(2 / alpha)
        self._count = 0
        self.total = np.zeros(repeats)
        self._squares = np.full(repeats, 0.25)
        self.mean = np.full(repeats, 0.5)

    def bet(self) -> Values:
        count = self._count + 1
        variance = self._squares / count
        return np.sqrt(2 * self._log / (variance * count * math.log(1 + count)))

    def add(self, values: Draws) -> None:
        self._count += 1
        self.total += values
        self.mean = (0.5 + self.total) / (self._count + 1)
        self._squares += (values - self.mean) ** 2


def hedged_after(values: Draws, alpha: float) -> Steps:
    """Waudby-Smith and Ramdas (2023): hedged capital against a mean of 1/2, without replacement."""
    units, repeats = _shape(values)
    found = np.full(repeats, units + 1, dtype=np.int64)
    plugin = _Plugin(repeats, alpha)
    up, down = np.ones(repeats), np.ones(repeats)
    for place in range(units):
        mean = (units / 2 - plugin.total) / (units - place)
        is_possible = (mean > _DUST) & (mean < 1 - _DUST)
        inside = np.where(is_possible, mean, 0.5)
        bet = plugin.bet()
        up *= 1 + np.minimum(bet, 0.75 / inside) * (values[place] - inside)
        down *= 1 - np.minimum(bet, 0.75 / (1 - inside)) * (values[place] - inside)
        plugin.add(values[place])
        is_over = (np.maximum(up, down) / 2 >= 1 / alpha) | _is_certain(plugin.total, units, place)
        found[is_over & (found > units)] = place + 1
        if (found <= units).all():
            break
    return found


def interval_after(values: Draws, alpha: float, *, is_bernstein: bool) -> Steps:
    """Waudby-Smith and Ramdas (2020): when an interval without replacement leaves 1/2."""
    units, repeats = _shape(values)
    found = np.full(repeats, units + 1, dtype=np.int64)
    plugin = _Plugin(repeats, alpha)
    weighted, weights, width = np.zeros(repeats), np.zeros(repeats), np.full(repeats, math.log(2 / alpha))
    for place in range(units):
        left, count = units - place, place + 1
        if is_bernstein:
            bet = np.minimum(plugin.bet(), 0.5)
            width += (values[place] - plugin.mean) ** 2 * (-np.log1p(-bet) - bet)
        else:
            size = min(1.0, math.sqrt(8 * math.log(2 / alpha) / (count * math.log(1 + count))))
            bet = np.full(repeats, size)
            width += bet**2 / 8
        weighted += bet * (values[place] + plugin.total / left)
        weights += bet * (1 + place / left)
        plugin.add(values[place])
        is_over = (np.abs(weighted / weights - 0.5) > width / weights) | _is_certain(
            plugin.total, units, place
        )
        found[is_over & (found > units)] = place + 1
        if (found <= units).all():
            break
    return found


def _is_certain(total: Values, units: int, place: int) -> NDArray[np.bool_]:
    """Whether the values that are left cannot bring the mean back to 1/2."""
    return (total > units / 2 + _DUST) | (total + units - place - 1 < units / 2 - _DUST)


def fixed_size(benchmark: Benchmark, alpha: float, power: float = 0.9) -> float:
    """Share of the benchmark that a test needs whose size is chosen once, by the true difference."""
    units = len(benchmark.low)
    if not benchmark.difference:
        return 1.0
    spread = math.sqrt(benchmark.discordant - benchmark.difference**2)
    reach = NormalDist().inv_cdf(1 - alpha / 2) * math.sqrt(benchmark.discordant)
    needed = ((reach + NormalDist().inv_cdf(power) * spread) / benchmark.difference) ** 2
    return min(1.0, math.ceil(needed / (1 + (needed - 1) / units)) / units)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Shares: of repeats with a false claim; of items until a decision (mean, 90 % quantile), a direction."""

    false: float
    decided: float
    late: float
    direction: float


def simulate(benchmark: Benchmark, low: Draws, high: Draws) -> Outcome:
    """The rule of `PairedSequence`, which looks after every item."""
    units, enough, within = len(low), 2 / ALPHA, (1 - MARGIN) / 2
    above, below = decided_after(low, 0.5, enough), decided_after(1 - high, 0.5, enough)
    above_margin, below_margin = decided_after(low, within, enough), decided_after(1 - high, within, enough)
    first = np.minimum(above, below)
    after = np.minimum(np.minimum(first, np.maximum(above_margin, below_margin)), units)
    true = benchmark.difference
    is_false = np.zeros(low.shape[1], dtype=np.bool_)
    for claimed, is_wrong in (
        (above, true <= 0),
        (below, true >= 0),
        (above_margin, true <= -MARGIN),
        (below_margin, true >= MARGIN),
    ):
        if is_wrong:
            is_false |= claimed <= units
    return Outcome(
        float(is_false.mean()),
        float(after.mean()) / units,
        float(np.quantile(after, 0.9)) / units,
        float(np.minimum(first, units).mean()) / units,
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def rows(kind: str, sizes: list[int], repeats: int, seed: int) -> Iterator[list[str]]:
    for items in sizes:
        for difference in DIFFERENCES:
            source = np.random.default_rng([seed, items, round(1000 * difference), KINDS.index(kind)])
            benchmark = Benchmark.of(kind, items, difference)
            low, high = benchmark.orders(repeats, source)
            found = simulate(benchmark, low, high)
            shown = [f"{items:,}", f"{100 * difference:g}", _percent(found.false)]
            shown += [_percent(found.decided), _percent(found.late), _percent(found.direction)]
            if kind == "items":
                others = [
                    hedged_after(low, ALPHA),
                    interval_after(low, ALPHA, is_bernstein=True),
                    interval_after(low, ALPHA, is_bernstein=False),
                ]
                shown += [_percent(float(np.minimum(one, items).mean()) / items) for one in others]
                shown.append(_percent(fixed_size(benchmark, ALPHA)))
            yield shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--sizes", default="200,1000,3000,12032")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    sizes = [int(size) for size in wanted.sizes.split(",")]
    started = time.perf_counter()
    print(f"{wanted.repeats} orders a setting, alpha {ALPHA:g}, margin {100 * MARGIN:g} point")
    heads = ["items", "points", "ever wrong", "decided", "90 % by", "direction"]
    others = ["hedged", "Bernstein", "Hoeffding", "fixed size"]
    for kind in KINDS:
        columns = heads + (others if kind == "items" else [])
        print(f"\n{kind}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)
        for row in rows(kind, sizes, wanted.repeats, wanted.seed):
            print(f"| {' | '.join(row)} |", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
