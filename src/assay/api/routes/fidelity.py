"""Whether the models of a run are one model at several endpoints."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.dependencies import Caches, Services
from assay.api.errors import problems
from assay.api.schemas.results.fidelity import Fidelity, FidelityQuery
from assay.domain.stats import EquivalenceRule
from assay.engine.fidelity.report import fidelity_report

router = APIRouter(prefix="/api/runs", tags=["runs"])


@router.get("/{run_id}/fidelity", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_fidelity(
    run_id: str, services: Services, caches: Caches, wanted: Annotated[FidelityQuery, Query()]
) -> Fidelity:
    """Compare every other model of a run with the reference: equivalent, worse, or not enough items."""
    run = await services.stores.runs.get(run_id)
    rule = EquivalenceRule(wanted.margin, wanted.alpha)

    async def read() -> Fidelity:
        return Fidelity.of(await fidelity_report(services.stores, run, reference=wanted.reference, rule=rule))

    if not run.state.is_final:
        return await read()
    return await caches.fidelity.get((run.id, run.finished_at, wanted.reference, rule), read)
