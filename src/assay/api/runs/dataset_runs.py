"""Finds runs on data sets, with their progress."""

import itertools
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from assay.api.dependencies import ApiServices
from assay.api.schemas.batch.dataset_runs import DatasetRun, DatasetRunRow
from assay.domain.datasets.dataset import PREFIX
from assay.domain.errors import UnknownNameError
from assay.domain.run import UNFINISHED_STATES, Evaluation, RunId
from assay.domain.summary import Tokens
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter, StoredRun

_RUN_AND_POSITION = re.compile(r"(?P<run>[^_]{1,64})_(?P<position>[0-9]{1,6})")


async def dataset_runs(stores: Stores, wanted: RunFilter) -> tuple[tuple[DatasetRun, ...], int]:
    """Those of one page of runs, and the total number of matching runs."""
    page = await stores.runs.page_with_outcomes(wanted)
    return await _described(stores, page.runs, wanted.benchmark), page.total


async def all_dataset_runs(stores: Stores, wanted: RunFilter) -> AsyncIterator[DatasetRun]:
    """Those of every matching run; `wanted.limit` runs are read at a time."""
    for offset in itertools.count(step=wanted.limit):
        page, total = await dataset_runs(stores, replace(wanted, offset=offset))
        for found in page:
            yield found
        if offset + wanted.limit >= total:
            return


async def active_dataset_runs(services: ApiServices) -> tuple[DatasetRunRow, ...]:
    """Those that have not ended, newest first; up to 200 runs."""
    wanted = RunFilter(benchmark_prefix=PREFIX, states=UNFINISHED_STATES, limit=200)
    found, _total = await dataset_runs(services.stores, wanted)
    now = services.clock.now()
    return tuple(DatasetRunRow.of(one, now) for one in found if not one.evaluation.state.is_final)


async def dataset_run(stores: Stores, identity: str, *, kind: str = "bm_") -> DatasetRun:
    """Look up an id that begins with `kind`, with a whole or a shortened run id; raises UnknownNameError."""
    match = _RUN_AND_POSITION.fullmatch(identity.removeprefix(kind))
    if match is not None and identity.startswith(kind):
        run = await stores.runs.get_with_outcomes(match["run"])
        for found in await _described(stores, [run], None):
            if str(found.position) == match["position"]:
                return found
    raise UnknownNameError("run on a data set", identity)


def run_id_of(identity: str) -> RunId:
    """The run that an id of a run on a data set names."""
    return RunId(identity.removeprefix("bm_").rpartition("_")[0])


async def whole_evaluation(stores: Stores, found: DatasetRun) -> Evaluation:
    """The evaluation with its item ids, which lists of runs leave out."""
    evaluations = await stores.runs.evaluations(found.run.id)
    return evaluations[found.position]


async def _described(
    stores: Stores, stored: Sequence[StoredRun], benchmark: str | None
) -> tuple[DatasetRun, ...]:
    tokens = await stores.attempts.tokens_used([one.run.id for one in stored if not _is_summarised(one)])
    datasets = {one.benchmark: one for one in await stores.datasets.list()}
    return tuple(
        DatasetRun(
            run=one.run,
            evaluation=evaluation,
            position=position,
            dataset=datasets.get(evaluation.benchmark),
            outcomes=one.outcomes[evaluation.id],
            tokens=_tokens(evaluation) or tokens.get(evaluation.id, Tokens()),
        )
        for one in stored
        for position, evaluation in enumerate(one.evaluations)
        if evaluation.benchmark.startswith(PREFIX) and benchmark in (None, evaluation.benchmark)
    )


def _is_summarised(stored: StoredRun) -> bool:
    return all(_tokens(one) is not None for one in stored.evaluations)


def _tokens(evaluation: Evaluation) -> Tokens | None:
    """The tokens of the summary, once the evaluation has ended."""
    return evaluation.summary.tokens if evaluation.state.is_final and evaluation.summary else None
