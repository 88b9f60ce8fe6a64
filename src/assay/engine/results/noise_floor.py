"""Whether two scores differ by more than asking the same models again would change them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from assay.domain.fingerprint import differences
from assay.domain.run import Evaluation, EvaluationId, State
from assay.domain.stats import noise_floor
from assay.engine.results.compare import Comparison
from assay.engine.stores.runs import RunFilter, RunStore

Variances = Mapping[EvaluationId, float]
"""Mean variance between the samples of one item, where a model was asked several times."""

_RUNS = 50
# Which items were asked, and how often, may differ.
_MAY_DIFFER = frozenset({"samples", "items_checksum", "prompts_checksum"})


def with_noise_floors(comparisons: Sequence[Comparison], variances: Variances) -> tuple[Comparison, ...]:
    return tuple(replace(one, noise_floor=_noise_floor(one, variances)) for one in comparisons)


def _noise_floor(comparison: Comparison, variances: Variances) -> float | None:
    """What the two scores would differ by, by chance alone, in 95 % of cases; None where it is unknown."""
    sides = comparison.ours, comparison.theirs
    if comparison.result is None or any(one.id not in variances for one in sides):
        return None
    ours, theirs = (variances[one.id] / one.samples for one in sides)
    return noise_floor(ours, theirs, comparison.result.n)


async def repeat_variances(runs: RunStore, wanted: Sequence[Evaluation]) -> Variances:
    """Of the evaluations themselves, or else of the newest that repeated the same with that model."""
    stored: list[Evaluation] = []
    for model, benchmark in dict.fromkeys((one.model, one.benchmark) for one in wanted if not _is_known(one)):
        repeated = RunFilter(state=State.SUCCEEDED, exact_model=model, benchmark=benchmark, limit=_RUNS)
        page = await runs.page(repeated)
        found = await runs.evaluations_of([run.id for run in page.runs])
        stored += [one for run in page.runs for one in found[run.id]]
    return variances_among(wanted, stored)


def variances_among(wanted: Iterable[Evaluation], stored: Sequence[Evaluation]) -> Variances:
    """As `repeat_variances`, from these evaluations, the newest of which come first."""
    repeated = [one for one in stored if _is_known(one)]
    found: dict[EvaluationId, float] = {}
    for one in wanted:
        for other in (one, *repeated):
            if _is_known(other) and _is_alike(one, other) and other.summary is not None:
                found[one.id] = other.summary.within_variance or 0.0
                break
    return found


def _is_known(evaluation: Evaluation) -> bool:
    return evaluation.summary is not None and evaluation.summary.within_variance is not None


def _is_alike(ours: Evaluation, theirs: Evaluation) -> bool:
    return ours.model == theirs.model and _MAY_DIFFER.issuperset(
        differences(ours.fingerprint, theirs.fingerprint)
    )
