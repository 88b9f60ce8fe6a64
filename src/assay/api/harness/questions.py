"""The harness for Expert QA: the same calls as for code tasks, about questions by number."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.access.actor import CurrentActor
from assay.api.dependencies import ApiServices, Caches, Services
from assay.api.errors import problems
from assay.api.harness.access import BENCHMARK_TOKEN
from assay.api.harness.family import EXPERT_QA, api_errors, not_made, resume, retry_errors, retry_one
from assay.api.harness.ids import RunIdPath, refused_as_bad_request, required_model
from assay.api.harness.leaderboard import (
    PROBLEMS,
    REMOVAL_PROBLEMS,
    RemovedLevel,
    RemovedRow,
    WhichBoard,
    leaderboard,
    remove,
)
from assay.api.harness.run_spec import known_models
from assay.api.harness.runs import BODY, CONTINUED, FOUND, STARTED
from assay.api.runs.run_spec import checked_judging
from assay.api.runs.start import require_no_maintenance, start_run
from assay.api.schemas.harness import (
    HarnessLeaderboard,
    HarnessRemoved,
    HarnessResumed,
    HarnessRetried,
    HarnessRuns,
    HarnessRunsQuery,
    HarnessRunStarted,
    HarnessRunSummary,
)
from assay.api.schemas.questions import (
    QaApiError,
    QaApiErrors,
    QaAttemptKey,
    QaIncomplete,
    QaRunRequest,
    QaSingleRetry,
)
from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation
from assay.domain.errors import InvalidValueError
from assay.domain.run import RunSpec
from assay.engine.code_harness.names import BASE_LEVEL, QUESTIONS, level_of
from assay.engine.code_harness.options import Options
from assay.engine.code_harness.questions import by_number, question_number
from assay.engine.code_harness.thinking import Thinking, benchmark_names

router = APIRouter(prefix="/qa", tags=["code harness"])


@router.get("/runs", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_qa_runs(
    services: Services, caches: Caches, query: Annotated[HarnessRunsQuery, Query()]
) -> HarnessRuns:
    """The newest runs of Expert QA."""
    return await EXPERT_QA.newest(services, caches, limit=query.limit)


@router.post("/runs", responses=STARTED, dependencies=[BENCHMARK_TOKEN])
async def start_qa_run(request: QaRunRequest, services: Services, actor: CurrentActor) -> HarnessRunStarted:
    """Start a run of Expert QA; 400 for what is well formed and cannot be run."""
    require_no_maintenance(services)
    with refused_as_bad_request():
        run = await start_run(await _run_spec(request, services), actor, services)
    return HarnessRunStarted(run_id=run.id)


@router.get("/runs/{run_id}", responses=FOUND)
async def show_qa_run(run_id: RunIdPath, services: Services) -> HarnessRunSummary:
    """A run with every attempt so far: the answers, what was expected, and the judge's decisions."""
    return HarnessRunSummary.of(EXPERT_QA.summary(await EXPERT_QA.read(services, run_id)))


@router.get("/runs/{run_id}/api-errors", responses=FOUND)
async def list_qa_api_errors(run_id: RunIdPath, services: Services) -> QaApiErrors:
    """The attempts that ended without a verdict, because no reply came or no judge decided."""
    found = await EXPERT_QA.read(services, run_id)
    errors = tuple(map(QaApiError.of, by_number(api_errors(found))))
    return QaApiErrors(run_id=found.run.id, api_error_count=len(errors), api_errors=errors)


@router.get("/runs/{run_id}/incomplete", responses=FOUND)
async def list_qa_incomplete(run_id: RunIdPath, services: Services) -> QaIncomplete:
    """The attempts that the run has not made."""
    found = await EXPERT_QA.read(services, run_id)
    missing = tuple(
        QaAttemptKey(
            question_number=question_number(key.item_id),
            model=one.model,
            sample_index=key.sample,
            thinking_level=level_of(one),
        )
        for one, key in not_made(found)
    )
    return QaIncomplete(run_id=found.run.id, incomplete_count=len(missing), incomplete_attempts=missing)


@router.post("/runs/{run_id}/retry-api-errors", responses=CONTINUED, dependencies=[BENCHMARK_TOKEN])
async def retry_qa_api_errors(run_id: RunIdPath, services: Services, actor: CurrentActor) -> HarnessRetried:
    """Make the attempts without a verdict again, in the same run; attempts with one are never repeated."""
    return await retry_errors(await EXPERT_QA.controlled(services, run_id, actor), services)


@router.post("/runs/{run_id}/retry-single", responses=CONTINUED | BODY, dependencies=[BENCHMARK_TOKEN])
async def retry_qa_attempt(
    run_id: RunIdPath, request: QaSingleRetry, services: Services, actor: CurrentActor
) -> HarnessRetried:
    """Make one attempt without a verdict again, in the same run; 400 for an attempt with a verdict."""
    key = AttemptKey(ItemId(str(request.question_number)), request.sample_index)
    model = None if request.model is None else required_model(request.model)
    found = await EXPERT_QA.controlled(services, run_id, actor)
    return await retry_one(found, key, services, model=model, level=request.thinking_level)


@router.post("/runs/{run_id}/resume", responses=CONTINUED, dependencies=[BENCHMARK_TOKEN])
async def resume_qa_run(run_id: RunIdPath, services: Services, actor: CurrentActor) -> HarnessResumed:
    """Make the attempts that the run has not made: it was stopped, or its process has ended."""
    return await resume(await EXPERT_QA.controlled(services, run_id, actor), services)


@router.get("/leaderboard", responses=PROBLEMS)
async def show_qa_leaderboard(services: Services, board: WhichBoard = None) -> HarnessLeaderboard:
    """The best run of each model and thinking level, among runs that are equal in everything else."""
    return await leaderboard(services, QUESTIONS, board)


@router.delete(
    "/leaderboard/{model:path}", responses=PROBLEMS | REMOVAL_PROBLEMS, dependencies=[BENCHMARK_TOKEN]
)
async def remove_from_qa_leaderboard(
    model: str,
    services: Services,
    actor: CurrentActor,
    thinking_level: RemovedLevel = BASE_LEVEL,
    board: WhichBoard = None,
) -> HarnessRemoved:
    """Delete the runs behind a row; 403 if one belongs to somebody else, 409 if one has other results."""
    return await remove(RemovedRow(QUESTIONS, board, model, thinking_level), services, actor)


async def _run_spec(request: QaRunRequest, services: ApiServices) -> RunSpec:
    judge = request.judge or services.expert_qa.judge
    if judge is None:
        raise InvalidValueError(
            "answers are graded by a second model: name it as judge, or set EXPERT_QA_JUDGE_MODEL"
        )
    thinking = Thinking(
        request.thinking_level,
        include_variants=request.include_thinking_variants,
        sweep=request.sweep_thinking_levels,
    )
    return RunSpec(
        models=await known_models(request.models, services),
        benchmarks=benchmark_names(Options(provider=request.provider), thinking, benchmark=QUESTIONS),
        samples=request.samples,
        generation=Generation(temperature=request.temperature, max_tokens=request.max_tokens),
        data=services.expert_qa.questions,
        judge=await checked_judging(required_model(judge), services),
    )
