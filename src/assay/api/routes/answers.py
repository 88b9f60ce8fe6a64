"""Answers of several models side by side, and training data from annotations."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query, Response

from assay.api.access.text_access import Access, TextAccess
from assay.api.dependencies import Caches, Services
from assay.api.errors import Responses, invalid, problems
from assay.api.results.answer_table import answer_table, cached_agreements
from assay.api.routes.compare import requested_evaluations
from assay.api.runs.run_spec import checked_judging
from assay.api.schemas.results.answers import (
    AnswerComparison,
    AnswerQuery,
    JudgedAgreement,
    JudgedAgreementRequest,
)
from assay.api.schemas.results.comparisons import CompareQuery
from assay.api.streams import JSONL, file_response, json_lines
from assay.domain.run import Evaluation
from assay.engine.results.agreement import Choice, Likeness, judged_agreement
from assay.engine.reviews.training import TrainingForm, training_lines
from assay.engine.stores.runs import RunStore

router = APIRouter(prefix="/api", tags=["comparison"])

_FILE: Final[Responses] = {
    200: {"description": "The file", "content": {JSONL: {"schema": {"type": "string"}}}}
}
_READING: Final = problems(HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)


@router.get("/compare/answers", responses=_READING)
async def compare_answers(
    services: Services, caches: Caches, access: Access, wanted: Annotated[AnswerQuery, Query()]
) -> AnswerComparison:
    """The answers of any number of models to the same items, with their differences and agreement."""
    query = CompareQuery(evaluation=wanted.evaluation, run=wanted.run)
    evaluations = await _comparable(services.stores.runs, query, access)
    return await answer_table(services.stores, evaluations, wanted, caches)


@router.post(
    "/compare/judged",
    responses=_READING
    | problems(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.BAD_GATEWAY),
)
async def judge_answers(
    request: JudgedAgreementRequest, services: Services, caches: Caches, access: Access
) -> JudgedAgreement:
    """Let judges decide whether answers with different words mean the same."""
    judging = await checked_judging(request.judge, services)
    if judging is None:
        raise invalid("judge", "name a model")
    query = CompareQuery(evaluation=[request.evaluation_a, request.evaluation_b])
    ours, theirs = await _comparable(services.stores.runs, query, access)
    found = await cached_agreements(services.stores, [ours, theirs], Likeness.NORMALISED, caches)
    item_ids = found.chosen(Choice.DIFFERENT)[: request.limit]
    judged = await judged_agreement(
        (ours, theirs),
        item_ids,
        judging,
        attempts=services.stores.attempts,
        directory=services.engine.judges,
    )
    return JudgedAgreement.of(judged, found.pairs[0])


@router.get("/runs/{run_id}/training", response_class=Response, responses=_FILE | _READING)
async def export_training(
    run_id: str,
    services: Services,
    access: Access,
    form: TrainingForm = TrainingForm.CHAT,
) -> Response:
    """Answers annotated as golden, and corrections of others, as JSON lines for training."""
    run = await services.stores.runs.get(run_id)
    evaluations = await services.stores.runs.evaluations(run.id)
    _require_text_access(evaluations, access)
    lines = json_lines(
        training_lines(evaluations, form, attempts=services.stores.attempts, reviews=services.stores.reviews)
    )
    return file_response(lines, name=f"training-{run.id[:8]}.jsonl", media_type=JSONL)


async def _comparable(runs: RunStore, query: CompareQuery, access: TextAccess) -> list[Evaluation]:
    """The evaluations with their item ids; raises unless they share a benchmark whose texts may be shown."""
    found = await requested_evaluations(runs, query)
    if len(found) < 2:  # noqa: PLR2004
        raise invalid("evaluation", "give two evaluations of one benchmark, or runs that have them")
    if len({one.benchmark for one in found}) > 1:
        raise invalid("evaluation", "answers can be compared within one benchmark only")
    _require_text_access(found, access)
    whole = [one for run_id in {one.run_id for one in found} for one in await runs.evaluations(run_id)]
    by_id = {one.id: one for one in whole}
    return [by_id[one.id] for one in found]


def _require_text_access(evaluations: Sequence[Evaluation], access: TextAccess) -> None:
    for one in evaluations:
        access.hides(one, reveal=True)
