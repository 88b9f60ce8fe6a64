"""Runs and how they stand."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.dependencies import Services
from assay.api.errors import problems
from assay.api.schemas.runs import Run, RunDetail, RunList
from assay.api.stored import stored_run, stored_runs
from assay.domain.run import State
from assay.engine.ports import RunFilter

router = APIRouter(prefix="/api/runs", tags=["runs"])


@router.get("", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_runs(
    services: Services,
    status: State | None = None,
    model_slug: Annotated[str | None, Query(description="Part of a model's name, in any case")] = None,
    benchmark: Annotated[str | None, Query(description="Name of a benchmark")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> RunList:
    wanted = RunFilter(state=status, model=model_slug, benchmark=benchmark, limit=limit, offset=offset)
    page = await services.store.runs(wanted)
    found = await stored_runs(services.store, page.runs)
    return RunList(runs=tuple(Run.of(one) for one in found), total=page.total, limit=limit, offset=offset)


@router.get("/{run_id}", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_run(run_id: str, services: Services) -> RunDetail:
    """The run with this id, or the only one whose id starts so."""
    run = await services.store.run(run_id)
    return RunDetail.of(await stored_run(services.store, run))
