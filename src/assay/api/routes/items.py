"""The results of one evaluation, item by item."""

from collections.abc import AsyncIterator
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.access.text_access import Access, require_searchable
from assay.api.caches import ApiCaches
from assay.api.dependencies import ApiServices, Caches, Services
from assay.api.errors import problems
from assay.api.results.item_list import item_list
from assay.api.results.item_summary import item_summary
from assay.api.results.latency import latency_report
from assay.api.schemas.attempts import AttemptDetail, ItemDetail, SampleQuery
from assay.api.schemas.fields import BenchmarkName
from assay.api.schemas.items import (
    WHICH_MODEL,
    BenchmarkItems,
    ItemQuery,
    ItemSummary,
    LatencyReport,
)
from assay.api.schemas.results.calibration import CalibrationBin, CalibrationReport
from assay.api.schemas.runs import RunBenchmark
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.domain.run import Evaluation
from assay.engine.results.calibration import calibration
from assay.engine.results.masking import masked_attempt
from assay.engine.stores.attempts import AttemptFilter
from assay.engine.stores.runs import RunStore

router = APIRouter(prefix="/api/runs", tags=["runs"])

_PROBLEMS = problems(HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
# The items are offloaded.
_ITEM_PROBLEMS = _PROBLEMS | problems(HTTPStatus.CONFLICT)
# How long workers may still store attempts of an evaluation that was stopped.
_LAST_WRITES = timedelta(seconds=10)


@router.get("/{run_id}/benchmarks/{name}", responses=_ITEM_PROBLEMS)
async def list_items(
    run_id: str,
    name: BenchmarkName,
    services: Services,
    caches: Caches,
    access: Access,
    wanted: Annotated[ItemQuery, Query()],
) -> BenchmarkItems:
    """A page of item results, and totals over all items regardless of the filter."""
    stores = services.stores
    evaluation = await _evaluation(stores.runs, run_id, benchmark=name, model=wanted.model)
    is_hidden = access.hides(evaluation, reveal=wanted.reveal)
    require_searchable(wanted.search, is_hidden=is_hidden)
    listed = await item_list(stores, evaluation, caches)
    page = await listed.page(wanted, access, is_hidden=is_hidden)
    return BenchmarkItems(
        benchmark=RunBenchmark.of(
            evaluation,
            (await stores.runs.get(evaluation.run_id)).spec.subset,
            completed=await stores.attempts.count(evaluation.id, AttemptFilter()),
        ),
        items=page,
        categories=tuple(sorted(set(listed.categories.values()))),
        summary=await _summary(services, evaluation, caches, is_hidden=is_hidden) if wanted.summary else None,
        is_masked=is_hidden,
    )


@router.get("/{run_id}/benchmarks/{name}/latency", responses=_PROBLEMS)
async def show_latency(
    run_id: str,
    name: BenchmarkName,
    services: Services,
    caches: Caches,
    model: Annotated[str | None, Query(description=WHICH_MODEL)] = None,
) -> LatencyReport:
    """Histograms of the reply times of one evaluation, with bins on a logarithmic scale."""
    evaluation = await _evaluation(services.stores.runs, run_id, benchmark=name, model=model)

    async def read() -> LatencyReport:
        return await latency_report(services.stores.attempts.results(evaluation.id))

    if not _is_settled(services, evaluation):
        return await read()
    return await caches.latencies.get((evaluation.id, evaluation.finished_at), read)


@router.get("/{run_id}/benchmarks/{name}/calibration", responses=_PROBLEMS)
async def show_calibration(
    run_id: str,
    name: BenchmarkName,
    services: Services,
    model: Annotated[str | None, Query(description=WHICH_MODEL)] = None,
) -> CalibrationReport:
    """How often answers are right, by the confidence stated with them; no bins where none is stated."""
    evaluation = await _evaluation(services.stores.runs, run_id, benchmark=name, model=model)
    found = await calibration(services.stores.attempts.results(evaluation.id))
    return CalibrationReport(n=sum(one.n for one in found), bins=tuple(map(CalibrationBin.of, found)))


# A path, because item ids may contain slashes.
@router.get("/{run_id}/benchmarks/{name}/items/{item_id:path}", responses=_ITEM_PROBLEMS)
async def show_item(
    run_id: str,
    name: BenchmarkName,
    item_id: str,
    services: Services,
    access: Access,
    wanted: Annotated[SampleQuery, Query()],
) -> ItemDetail:
    """Every attempt at one item, with prompt, answer, reasoning and calls."""
    stores = services.stores
    evaluation = await _evaluation(stores.runs, run_id, benchmark=name, model=wanted.model)
    is_hidden = access.hides(evaluation, reveal=wanted.reveal)
    keys = [AttemptKey(ItemId(item_id), sample) for sample in range(evaluation.samples)]
    made = sorted(await stores.attempts.stored_among(evaluation.id, keys))
    if not made:
        await _require_item(stores.runs, evaluation, item_id)
    page = made[wanted.offset : wanted.offset + wanted.limit]
    attempts = [await stores.attempts.get(evaluation.id, key) for key in page]
    return ItemDetail(
        item_id=item_id,
        run_id=evaluation.run_id,
        evaluation_id=evaluation.id,
        model=evaluation.model,
        benchmark=evaluation.benchmark,
        samples=evaluation.samples,
        attempts=tuple(
            AttemptDetail.of(access.shown(one, is_hidden=is_hidden), evaluation.price) for one in attempts
        ),
        is_masked=is_hidden,
    )


async def _evaluation(runs: RunStore, run_id: str, *, benchmark: str, model: str | None) -> Evaluation:
    run = await runs.get(run_id)
    of_benchmark = [
        one for one in (await runs.evaluations_of([run.id]))[run.id] if one.benchmark == benchmark
    ]
    if not of_benchmark:
        raise UnknownNameError("benchmark in this run", benchmark)
    if model is None and len(of_benchmark) > 1:
        names = ", ".join(repr(one.model) for one in of_benchmark)
        raise InvalidValueError(f"this run has several models; add ?model= with one of {names}")
    for one in of_benchmark:
        if model in (None, one.model):
            return one
    raise UnknownNameError("model in this run", str(model))


async def _require_item(runs: RunStore, evaluation: Evaluation, item_id: str) -> None:
    whole = next(one for one in await runs.evaluations(evaluation.run_id) if one.id == evaluation.id)
    if item_id not in whole.item_ids:
        raise UnknownNameError("item in this evaluation", item_id)


async def _summary(
    services: ApiServices, evaluation: Evaluation, caches: ApiCaches, *, is_hidden: bool
) -> ItemSummary:
    """Cached for an evaluation that has ended: its attempts change only if it is opened again."""

    async def read() -> ItemSummary:
        results = services.stores.attempts.results(evaluation.id)
        return await item_summary(_masked(results) if is_hidden else results, evaluation.price)

    if not _is_settled(services, evaluation):
        return await read()
    return await caches.summaries.get((evaluation.id, evaluation.finished_at, is_hidden), read)


def _is_settled(services: ApiServices, evaluation: Evaluation) -> bool:
    ended_at = evaluation.finished_at
    return ended_at is not None and services.clock.now() - ended_at >= _LAST_WRITES


async def _masked(attempts: AsyncIterator[Attempt]) -> AsyncIterator[Attempt]:
    async for attempt in attempts:
        yield masked_attempt(attempt)
