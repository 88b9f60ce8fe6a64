"""The composite score of a run."""

from dataclasses import asdict
from http import HTTPStatus

from fastapi import APIRouter

from assay.api.dependencies import ApiServices, Caches, Services
from assay.api.errors import problems
from assay.api.schemas.results.composites import CompositeWeights, ModelCompositeScore, RunComposite
from assay.domain.run import Evaluation, Run
from assay.engine.results.composite import composites
from assay.engine.results.warm_ups import warm_up_totals

router = APIRouter(prefix="/api/runs", tags=["runs"])


@router.get("/{run_id}/composite", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_composite(run_id: str, services: Services, caches: Caches) -> RunComposite:
    """Quality, speed, cost, streaming and multimodal of each model in one score, and what was measured."""
    run = await services.stores.runs.get(run_id)
    evaluations = (await services.stores.runs.evaluations_of([run.id]))[run.id]

    async def read() -> RunComposite:
        return await _composite(services, run, evaluations)

    if not run.state.is_final:
        return await read()
    return await caches.composites.get((run.id, run.finished_at), read)


async def _composite(services: ApiServices, run: Run, evaluations: tuple[Evaluation, ...]) -> RunComposite:
    rule = run.spec.composite
    found = await composites(
        evaluations, rule=rule, attempts=services.stores.attempts, catalogue=services.catalogue
    )
    warm_ups = await warm_up_totals(services.stores.events, run)
    return RunComposite(
        run_id=run.id,
        weights=CompositeWeights(**asdict(rule.weights)),
        minimum_quality=rule.minimum_quality,
        models=tuple(ModelCompositeScore.of(one, warm_ups.get(one.model)) for one in found),
    )
