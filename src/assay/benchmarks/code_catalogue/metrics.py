"""pass@k, accuracy by type and difficulty, and the share of each form of answer."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from assay.domain.benchmark import ItemId, Result
from assay.domain.stats import Estimate, pass_at_k, score_estimate

_KS = (1, 5, 10)
_GROUPS = ("type", "difficulty")


def metrics(results: Sequence[Result]) -> Mapping[str, Estimate]:
    found: dict[str, Estimate] = {}
    right: dict[ItemId, list[bool]] = defaultdict(list)
    for result in results:
        right[result.item_id].append(result.score == 1.0)
    for k in _KS:
        _add(
            found, f"pass@{k}", [pass_at_k(len(one), sum(one), k) for one in right.values() if len(one) >= k]
        )
    for group in _GROUPS:
        for value in sorted({str(one.details.get(group)) for one in results}):
            of_group = [one for one in results if str(one.details.get(group)) == value]
            clusters = [one.item_id for one in of_group]
            estimate = score_estimate([one.score for one in of_group], clusters)
            if estimate is not None:
                found[f"{group}:{value}"] = estimate
    forms = [_form(one) for one in results]
    for form in sorted(set(forms)):
        _add(found, f"answers:{form}", [float(one == form) for one in forms])
    return found


def _add(found: dict[str, Estimate], name: str, values: Sequence[float]) -> None:
    estimate = score_estimate(values, None)
    if estimate is not None:
        found[name] = estimate


def _form(result: Result) -> str:
    answer = result.details.get("answer")
    form = answer.get("format") if isinstance(answer, Mapping) else None
    return form if isinstance(form, str) else "none"
