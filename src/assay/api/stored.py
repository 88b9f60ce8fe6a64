"""What the endpoints read from the store, put together."""

import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId, Run, State
from assay.engine.fleet import FleetStore
from assay.engine.ports import RunFilter, RunPage

_BATCH = 500
_SUMMARISED = frozenset({State.SUCCEEDED, State.FAILED})


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with its evaluations, and how the attempts of each that have ended did so."""

    run: Run
    evaluations: tuple[Evaluation, ...]
    outcomes: Mapping[EvaluationId, Mapping[Outcome, int]]

    def completed(self, evaluation: Evaluation) -> int:
        return sum(self.outcomes[evaluation.id].values())


async def stored_run(store: FleetStore, run: Run) -> StoredRun:
    [found] = await stored_runs(store, [run])
    return found


async def stored_runs(store: FleetStore, runs: Sequence[Run]) -> tuple[StoredRun, ...]:
    """Two queries, however many runs; attempts are counted only where no summary has counted them."""
    evaluations = await store.evaluations_of([run.id for run in runs])
    uncounted = [run_id for run_id, own in evaluations.items() if not all(map(_is_counted, own))]
    counts = await store.outcome_counts(uncounted)
    return tuple(
        StoredRun(run, own, {one.id: _outcomes(one, counts) for one in own})
        for run in runs
        for own in [evaluations[run.id]]
    )


async def run_page(store: FleetStore, wanted: RunFilter, *, model: str | None) -> RunPage:
    """A page of runs; those of exactly this model where one is named."""
    if model is None:
        return await store.runs(wanted)
    # The store looks for parts of names.
    part = wanted.model or model
    found = [run async for run in all_runs(store, replace(wanted, model=part)) if model in run.spec.models]
    return RunPage(tuple(found[wanted.offset : wanted.offset + wanted.limit]), len(found))


async def count_runs(store: FleetStore, state: State) -> int:
    return (await store.runs(RunFilter(state=state, limit=1))).total


async def all_runs(store: FleetStore, wanted: RunFilter) -> AsyncIterator[Run]:
    """The runs of all pages, newest first."""
    for offset in itertools.count(step=_BATCH):
        page = await store.runs(replace(wanted, limit=_BATCH, offset=offset))
        for run in page.runs:
            yield run
        if offset + _BATCH >= page.total:
            return


def _outcomes(
    evaluation: Evaluation, counts: Mapping[EvaluationId, Mapping[Outcome, int]]
) -> Mapping[Outcome, int]:
    if _is_counted(evaluation) and evaluation.summary is not None:
        return evaluation.summary.outcomes
    return counts.get(evaluation.id, {})


def _is_counted(evaluation: Evaluation) -> bool:
    """Whether its attempts need not be counted: it has none yet, or all that it will have are summarised."""
    is_summarised = evaluation.state in _SUMMARISED and evaluation.summary is not None
    return evaluation.started_at is None or is_summarised
