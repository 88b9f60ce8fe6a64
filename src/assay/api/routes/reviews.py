"""Annotations of attempts by people, and later gradings of a run."""

from http import HTTPStatus

from fastapi import APIRouter

from assay.api.access.actor import CurrentActor, require_owner
from assay.api.dependencies import ApiServices, Services
from assay.api.errors import invalid, problems
from assay.api.runs.run_spec import checked_judging
from assay.api.runs.start import require_no_maintenance
from assay.api.schemas.results.reviews import (
    Annotation,
    AnnotationRequest,
    Judgement,
    JudgementChanges,
    JudgementRequest,
    RunAnnotations,
    RunJudgements,
    annotations_of,
    grading,
)
from assay.api.schemas.system import Done
from assay.domain import review
from assay.domain.benchmark import ItemId
from assay.domain.errors import UnknownNameError
from assay.domain.run import Evaluation, EvaluationId

router = APIRouter(prefix="/api/runs", tags=["reviews"])

_READING = problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
_CHANGING = problems(
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
)
_GRADING = problems(
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.NOT_IMPLEMENTED,
    HTTPStatus.BAD_GATEWAY,
)


@router.get("/{run_id}/annotations", responses=_READING)
async def list_annotations(run_id: str, services: Services) -> RunAnnotations:
    """The annotations of a run's attempts, and how well its grading agrees with them."""
    engine = services.engine
    run = await services.stores.runs.get(run_id)
    return RunAnnotations(
        evaluations=tuple(
            [
                annotations_of(
                    one,
                    await engine.stores.reviews.annotations(one.id),
                    await engine.grading_comparison.human_agreement(one),
                )
                for one in (await services.stores.runs.evaluations_of([run.id]))[run.id]
            ]
        )
    )


@router.post("/{run_id}/annotations", status_code=HTTPStatus.CREATED, responses=_CHANGING)
async def add_annotation(
    run_id: str, request: AnnotationRequest, services: Services, actor: CurrentActor
) -> Annotation:
    """Annotate an attempt; earlier annotations stay, and the newest counts."""
    await _require_evaluation_of_run(services, run_id, request.evaluation_id)
    stored = await services.stores.reviews.add_annotation(
        review.Annotation(
            EvaluationId(request.evaluation_id),
            ItemId(request.item_id),
            request.sample,
            request.label,
            services.clock.now(),
            note=request.note,
            author=request.author or ("" if actor.user is None else actor.user.username),
            owner=actor.owner,
        )
    )
    return Annotation.of(stored)


@router.delete("/{run_id}/annotations/{annotation_id}", responses=_CHANGING)
async def remove_annotation(run_id: str, annotation_id: int, services: Services, actor: CurrentActor) -> Done:
    """Remove an annotation; only its owner or an admin may, if it has an owner."""
    reviews = services.stores.reviews
    run = await services.stores.runs.get(run_id)
    for one in (await services.stores.runs.evaluations_of([run.id]))[run.id]:
        for annotation in await reviews.annotations(one.id):
            if annotation.id == annotation_id:
                require_owner(actor, annotation.owner, f"annotation {annotation_id}")
                await reviews.remove_annotation(one.id, annotation_id)
                return Done(message=f"annotation {annotation_id} is removed")
    raise UnknownNameError("annotation in this run", str(annotation_id))


@router.get("/{run_id}/judgements", responses=_READING)
async def list_judgements(run_id: str, services: Services) -> RunJudgements:
    """Every later grading of the run's answers, each next to the original one."""
    run = await services.stores.runs.get(run_id)
    return RunJudgements(
        judgements=tuple(
            [
                await _shown(services, one, judgement)
                for one in (await services.stores.runs.evaluations_of([run.id]))[run.id]
                for judgement in await services.stores.reviews.regrades(one.id)
            ]
        )
    )


@router.post("/{run_id}/judgements", status_code=HTTPStatus.CREATED, responses=_GRADING)
async def judge_run(run_id: str, request: JudgementRequest, services: Services) -> RunJudgements:
    """Grade the stored answers again without calling the model; responds when all are graded.

    Gradings made before a lost connection are kept: the same request continues them.
    """
    require_no_maintenance(services)
    run = await services.stores.runs.get(run_id)
    judging = await checked_judging(request.judge, services)
    chosen = [
        one
        for one in await services.stores.runs.evaluations(run.id)
        if request.benchmark in (None, one.benchmark) and request.model in (None, one.model)
    ]
    if not chosen:
        raise invalid("benchmark", "the run has no such evaluation")
    judged = [await services.engine.regrader.regrade(run, one, judging=judging) for one in chosen]
    return RunJudgements(
        judgements=tuple(
            [await _shown(services, one, judgement) for one, judgement in zip(chosen, judged, strict=True)]
        )
    )


async def _require_evaluation_of_run(services: ApiServices, run_id: str, evaluation_id: str) -> None:
    run = await services.stores.runs.get(run_id)
    if evaluation_id not in {one.id for one in (await services.stores.runs.evaluations_of([run.id]))[run.id]}:
        raise UnknownNameError("evaluation in this run", evaluation_id)


async def _shown(services: ApiServices, evaluation: Evaluation, judgement: review.Regrade) -> Judgement:
    comparison = services.engine.grading_comparison
    return Judgement(
        id=judgement.id,
        evaluation_id=evaluation.id,
        model=evaluation.model,
        benchmark=evaluation.benchmark,
        created_at=judgement.created_at,
        before=grading(
            evaluation.fingerprint, evaluation.summary, await comparison.human_agreement(evaluation)
        ),
        after=grading(judgement, judgement.summary, await comparison.human_agreement(evaluation, judgement)),
        changes=JudgementChanges.of(await comparison.changes(judgement)),
    )
