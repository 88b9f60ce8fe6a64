"""The item results of one evaluation."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.dependencies import Services
from assay.api.errors import problems
from assay.api.item_summary import item_summary
from assay.api.schemas.items import BenchmarkItems, ItemPage, ItemResult
from assay.api.schemas.runs import RunBenchmark
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.domain.run import Evaluation
from assay.engine.ports import AttemptFilter, RunStore

router = APIRouter(prefix="/api/runs", tags=["runs"])


@router.get(
    "/{run_id}/benchmarks/{name}",
    responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def list_items(
    run_id: str,
    name: str,
    services: Services,
    model: Annotated[str | None, Query(description="Needed where the run has several models")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> BenchmarkItems:
    """Item results in the order of their ids, with totals over all of them."""
    store = services.store
    evaluation = await _evaluation(store, run_id, benchmark=name, model=model)
    wanted = AttemptFilter(limit=limit, offset=offset)
    total = await store.count_attempts(evaluation.id, wanted)
    attempts = await store.attempts(evaluation.id, wanted)
    return BenchmarkItems(
        benchmark=RunBenchmark.of(evaluation, completed=total),
        items=ItemPage(
            items=tuple(ItemResult.of(attempt) for attempt in attempts),
            total=total,
            limit=limit,
            offset=offset,
        ),
        summary=await item_summary(store.results(evaluation.id), evaluation.price),
    )


async def _evaluation(store: RunStore, run_id: str, *, benchmark: str, model: str | None) -> Evaluation:
    run = await store.run(run_id)
    of_benchmark = [
        one for one in (await store.evaluations_of([run.id]))[run.id] if one.benchmark == benchmark
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
