"""pass@k and its relatives. Attempts that ended in an API error are missing data: only counted."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.domain.json_value import Json
from assay.domain.stats import pass_at_k
from assay.engine.code_harness.names import BASE_LEVEL
from assay.engine.code_harness.statuses import AttemptResult


@dataclass(frozen=True, slots=True)
class ModelMetrics:
    """`accuracy` is the mean of pass@k over tasks; figures are None where no attempt was graded."""

    accuracy: float | None
    pass_at_1: float | None
    attempt_success: float | None
    graded: int
    api_errors: int


def model_metrics(results: Sequence[AttemptResult], *, samples: int) -> ModelMetrics:
    """Of one model; k is the number of samples, or of the graded ones where that is less."""
    graded = [one for one in results if one.status != "api_error"]
    # A task at another level is another question: the best of several levels would be a pass@k of a larger k.
    passed: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in graded:
        passed[one.task_id, one.level].append(one.status == "passed")
    tasks = [(len(own), sum(own)) for own in passed.values()]
    return ModelMetrics(
        accuracy=_mean([pass_at_k(n, c, min(samples, n)) for n, c in tasks]),
        pass_at_1=_mean([pass_at_k(n, c, 1) for n, c in tasks]),
        attempt_success=_mean([float(one.status == "passed") for one in graded]),
        graded=len(graded),
        api_errors=len(results) - len(graded),
    )


def metrics_document(results: Sequence[AttemptResult], *, samples: int) -> dict[str, Json]:
    """The key `metrics` of a summary: figures by model, and their means over the models that have one."""
    by_model = {
        model: model_metrics([one for one in results if one.model == model], samples=samples)
        for model in dict.fromkeys(one.model for one in results)
    }
    figures: Mapping[str, Mapping[str, float | None]] = {
        "model_accuracy": {model: one.accuracy for model, one in by_model.items()},
        "pass_at_1": {model: one.pass_at_1 for model, one in by_model.items()},
        "model_attempt_success": {model: one.attempt_success for model, one in by_model.items()},
    }
    means = {
        f"macro_{name.removeprefix('model_')}": _mean([one for one in values.values() if one is not None])
        for name, values in figures.items()
    }
    return {
        "k": samples,
        **figures,
        **means,
        "api_errors_excluded": sum(one.api_errors for one in by_model.values()),
        "api_errors_by_model": {model: one.api_errors for model, one in by_model.items()},
    }


def metrics_by_level(results: Sequence[AttemptResult], *, samples: int) -> dict[str, Json]:
    """The key `metrics_by_thinking_level`: the same for each level, the base first."""
    levels = sorted(dict.fromkeys(one.level for one in results), key=lambda level: level != BASE_LEVEL)
    return {
        level: metrics_document([one for one in results if one.level == level], samples=samples)
        for level in levels
    }


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
