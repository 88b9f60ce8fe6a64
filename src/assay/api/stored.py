"""What the endpoints read from the store, put together."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

from assay.domain.run import Evaluation, EvaluationId, Run, State
from assay.engine.ports import RunFilter, RunPage, RunStore

_BATCH = 500


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with its evaluations, and how many attempts of each have ended."""

    run: Run
    evaluations: tuple[Evaluation, ...]
    completed: Mapping[EvaluationId, int]


async def stored_run(store: RunStore, run: Run) -> StoredRun:
    evaluations = await store.evaluations(run.id)
    counts = await asyncio.gather(*(completed_attempts(store, one) for one in evaluations))
    ids = (one.id for one in evaluations)
    return StoredRun(run, evaluations, dict(zip(ids, counts, strict=True)))


async def run_page(store: RunStore, wanted: RunFilter) -> RunPage:
    """A page of runs, of which `wanted.model` is any part of a model's name, whatever its case."""
    if wanted.model is None:
        return await store.runs(wanted)
    # The store compares whole names.
    part = wanted.model.casefold()
    found = [
        run
        async for run in _all_runs(store, replace(wanted, model=None))
        if any(part in model.casefold() for model in run.spec.models)
    ]
    return RunPage(tuple(found[wanted.offset : wanted.offset + wanted.limit]), len(found))


async def _all_runs(store: RunStore, wanted: RunFilter) -> AsyncIterator[Run]:
    for offset in itertools.count(step=_BATCH):
        page = await store.runs(replace(wanted, limit=_BATCH, offset=offset))
        for run in page.runs:
            yield run
        if offset + _BATCH >= page.total:
            return


async def completed_attempts(store: RunStore, evaluation: Evaluation) -> int:
    if evaluation.state.is_final and evaluation.summary is not None:
        return sum(evaluation.summary.outcomes.values())
    if evaluation.started_at is None:
        return 0
    return len(await store.stored_keys(evaluation.id))


async def count_runs(store: RunStore, state: State) -> int:
    return (await store.runs(RunFilter(state=state, limit=1))).total
