"""Accuracy over runs with its standard error, and pass@k, as the official leaderboard computes them."""

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence

from assay.domain.benchmark import Result
from assay.domain.stats import Estimate, pass_at_k, score_estimate

_MORE_KS = (5, 10)


def accuracy_over_runs(runs: Sequence[Sequence[bool]]) -> tuple[float, float | None]:
    """The mean accuracy of runs, and its standard error; None for a single run."""
    accuracies = [sum(run) / len(run) for run in runs]
    mean = statistics.fmean(accuracies)
    if len(accuracies) == 1:
        return mean, None
    return mean, statistics.stdev(accuracies) / math.sqrt(len(accuracies))


def pass_rates(resolved: Mapping[str, Sequence[bool]]) -> dict[int, list[float]]:
    """pass@k of each task that was tried so often, for the `k` that the official harness reports."""
    fewest = min((len(tries) for tries in resolved.values()), default=0)
    ks = {2**power for power in range(1, fewest.bit_length()) if 2**power <= fewest}
    ks |= {k for k in _MORE_KS if k <= fewest}
    return {k: [pass_at_k(len(tries), sum(tries), k) for tries in resolved.values()] for k in sorted(ks)}


def aggregates(results: Sequence[Result]) -> Mapping[str, Estimate]:
    """A run is one sample of every task."""
    by_task: dict[str, list[bool]] = defaultdict(list)
    by_run: dict[int, list[bool]] = defaultdict(list)
    for result in results:
        by_task[result.item_id].append(result.score == 1.0)
        by_run[result.sample].append(result.score == 1.0)
    found = {f"pass@{k}": score_estimate(rates) for k, rates in pass_rates(by_task).items()}
    if len(by_run) > 1:
        mean, error = accuracy_over_runs(list(by_run.values()))
        found["accuracy_over_runs"] = Estimate(mean, None, error, len(by_run))
    return {name: estimate for name, estimate in found.items() if estimate is not None}
