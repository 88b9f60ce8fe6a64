"""The official aggregates; the two official scripts count differently, so each figure names its script."""

from collections.abc import Mapping, Sequence

from assay.domain.benchmark import Result
from assay.domain.stats import Estimate, score_estimate

_PASS = "pass"  # noqa: S105 - a verdict


def aggregates(results: Sequence[Result]) -> Mapping[str, Estimate]:
    """Steps of one problem are not independent of each other: their intervals are clustered by problem.

    The official scripts (`test_generated_code.py`) leave the prewritten steps out. The official task for
    inspect_ai counts them among the steps and never as passed: it can find no problem solved that has one.
    """
    counted: dict[str, list[tuple[str, list[bool]]]] = {"": [], "_inspect_ai": []}
    for result in results:
        passed = _passed(result)
        counted[""].append((result.item_id, passed))
        counted["_inspect_ai"].append((result.item_id, passed + [False] * _prewritten(result)))
    estimates: dict[str, Estimate | None] = {}
    for script, problems in counted.items():
        estimates[f"main_problems{script}"] = score_estimate(
            [float(all(passed)) for _, passed in problems], [item_id for item_id, _ in problems]
        )
        estimates[f"sub_problems{script}"] = score_estimate(
            [float(one) for _, passed in problems for one in passed],
            [item_id for item_id, passed in problems for _ in passed],
        )
    return {name: estimate for name, estimate in estimates.items() if estimate is not None}


def _passed(result: Result) -> list[bool]:
    steps = result.details.get("steps")
    if isinstance(steps, Mapping) and steps:
        return [verdict == _PASS for verdict in steps.values()]
    # Replies that were not graded passed no step; the category says how many steps there were.
    return [False] * (int(result.category.split()[0]) if result.category else 1)


def _prewritten(result: Result) -> int:
    numbers = result.details.get("prewritten")
    return len(numbers) if isinstance(numbers, Sequence) else 0
