"""What the endpoints read from the store, put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId, Run, State
from assay.engine.fleet import FleetStore
from assay.engine.ports import RunFilter

_Counts = Mapping[EvaluationId, Mapping[Outcome, int]]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with its evaluations, and how many attempts of each have ended."""

    run: Run
    evaluations: tuple[Evaluation, ...]
    completed: Mapping[EvaluationId, int]


async def stored_run(store: FleetStore, run: Run) -> StoredRun:
    [found] = await stored_runs(store, [run])
    return found


async def stored_runs(store: FleetStore, runs: Sequence[Run]) -> tuple[StoredRun, ...]:
    """Two queries, however many runs; attempts are counted only where no summary has counted them."""
    evaluations = await store.evaluations_of([run.id for run in runs])
    uncounted = [run_id for run_id, own in evaluations.items() if not all(map(_is_counted, own))]
    counts = await store.outcome_counts(uncounted)
    return tuple(_joined(run, evaluations[run.id], counts) for run in runs)


async def count_runs(store: FleetStore, state: State) -> int:
    return (await store.runs(RunFilter(state=state, limit=1))).total


def _joined(run: Run, evaluations: tuple[Evaluation, ...], counts: _Counts) -> StoredRun:
    return StoredRun(run, evaluations, {one.id: _completed(one, counts) for one in evaluations})


def _completed(evaluation: Evaluation, counts: _Counts) -> int:
    if _is_counted(evaluation) and evaluation.summary is not None:
        return sum(evaluation.summary.outcomes.values())
    return sum(counts.get(evaluation.id, {}).values())


def _is_counted(evaluation: Evaluation) -> bool:
    """Whether its attempts need not be counted: it has none yet, or its summary is final."""
    return evaluation.started_at is None or (evaluation.state.is_final and evaluation.summary is not None)
