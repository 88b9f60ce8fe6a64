"""Runs of a model on a data set, in the contract of the batch UI."""

from http import HTTPStatus
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from assay.api.access.actor import CurrentActor, require_control
from assay.api.dependencies import Services
from assay.api.errors import ProblemError, Responses, problems
from assay.api.runs.dataset_runs import active_dataset_runs, dataset_run, dataset_runs, whole_evaluation
from assay.api.runs.model_names import registered_name, require_known_models
from assay.api.runs.run_spec import checked_judging
from assay.api.runs.start import require_no_maintenance, start_run
from assay.api.schemas.batch.dataset_runs import (
    ActiveDatasetRuns,
    DatasetRunHead,
    DatasetRunList,
    DatasetRunQuery,
    DatasetRunRequest,
    DatasetRunResults,
    DatasetRunRow,
    StartedDatasetRun,
)
from assay.api.schemas.system import Done
from assay.api.streams import CSV, JSONL, file_response, json_lines, json_response
from assay.api.webhooks.delivery import add_webhook, require_webhook_allowed
from assay.domain.datasets.dataset import PREFIX, DatasetId
from assay.domain.errors import IllegalTransitionError
from assay.domain.run import RunSpec
from assay.engine.execution import control
from assay.engine.results.batch_output import Which, csv_rows, output_lines
from assay.engine.stores.runs import RunFilter

router = APIRouter(prefix="/admin/benchmarks", tags=["data sets"])

_FOUND: Final = problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
_FILES: Final[Responses] = {
    200: {
        "description": "The file",
        "content": {
            JSONL: {"schema": {"type": "string"}},
            "text/csv": {"schema": {"type": "string"}},
        },
    }
}


@router.post(
    "/run",
    responses=problems(
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
    ),
)
async def run_dataset(
    request: DatasetRunRequest, services: Services, actor: CurrentActor
) -> StartedDatasetRun:
    """Run a model on every line of a data set, with the keys that `POST /api/runs` would use."""
    require_no_maintenance(services)
    dataset = await services.stores.datasets.get(DatasetId(request.dataset_id))
    model = await registered_name(request.model_id, services)
    await require_known_models([model], services.models)
    spec = RunSpec(
        models=(model,),
        benchmarks=(dataset.benchmark,),
        samples=request.samples,
        max_connections=request.max_connections,
        judge=await checked_judging(request.judge, services),
    )
    require_webhook_allowed(request.webhook, services)
    run = await start_run(spec, actor, services)
    await add_webhook(request.webhook, run, services)
    return StartedDatasetRun(
        benchmark_id=f"bm_{run.id}_0", status="running", started_at=run.created_at, run_id=run.id
    )


@router.get("", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_dataset_runs(services: Services, query: Annotated[DatasetRunQuery, Query()]) -> DatasetRunList:
    """The progress of each model on each data set; `/api/events` pushes the changes."""
    benchmark = None
    if query.dataset_id is not None:
        benchmark = (await services.stores.datasets.get(DatasetId(query.dataset_id))).benchmark
    wanted = RunFilter(benchmark=benchmark, benchmark_prefix=PREFIX, limit=query.limit, offset=query.offset)
    found, total = await dataset_runs(services.stores, wanted)
    now = services.clock.now()
    return DatasetRunList(benchmarks=tuple(DatasetRunRow.of(one, now) for one in found), total=total)


@router.get("/active")
async def list_active_dataset_runs(services: Services) -> ActiveDatasetRuns:
    """The runs on data sets that have not ended."""
    return ActiveDatasetRuns(jobs=await active_dataset_runs(services))


@router.get("/{benchmark_id}", responses=_FOUND)
async def show_dataset_run(benchmark_id: str, services: Services) -> DatasetRunRow:
    """The progress of a model on a data set."""
    found = await dataset_run(services.stores, benchmark_id)
    return DatasetRunRow.of(found, services.clock.now())


@router.post(
    "/{benchmark_id}/cancel", responses=_FOUND | problems(HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN)
)
async def cancel_dataset_run(benchmark_id: str, services: Services, actor: CurrentActor) -> Done:
    """Cancel the run; stored results stay. 400 if it has already ended."""
    found = await dataset_run(services.stores, benchmark_id)
    require_control(found.run, actor, services)
    try:
        await control.cancel(services.engine.lifecycle, found.run.id)
    except IllegalTransitionError as error:
        detail = f"{benchmark_id!r} cannot be canceled: its run {found.run.state.clause}"
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail, code=error.code) from error
    return Done(message=f"{benchmark_id} is canceled; its stored results stay")


@router.get(
    "/{benchmark_id}/results", response_model=DatasetRunResults, response_class=Response, responses=_FOUND
)
async def show_dataset_results(
    benchmark_id: str,
    services: Services,
    limit: Annotated[int | None, Query(ge=1, description="Items on a page; all of them by default")] = None,
    offset: Annotated[int, Query(ge=0, le=10**12)] = 0,
) -> StreamingResponse:
    """The answers so far in the order of the data set, streamed."""
    found = await dataset_run(services.stores, benchmark_id)
    evaluation = await whole_evaluation(services.stores, found)
    head = DatasetRunHead.of(DatasetRunRow.of(found, services.clock.now())).model_dump_json()
    page = evaluation.item_ids[offset : None if limit is None else offset + limit]
    lines = output_lines(services.stores.attempts, evaluation, item_ids=page)
    return json_response(head.removesuffix("}") + ',"results":[', lines, "]}")


@router.get("/{benchmark_id}/results.{ending}", response_class=Response, responses=_FILES | _FOUND)
async def download_dataset_results(
    benchmark_id: str,
    ending: Literal["jsonl", "csv"],
    services: Services,
    which: Annotated[
        Which, Query(description="Lines of the JSONL file: replies, failures, or both")
    ] = Which.ALL,
) -> Response:
    """All answers so far in the order of the data set, streamed as OpenAI batch output or as CSV."""
    found = await dataset_run(services.stores, benchmark_id)
    evaluation = await whole_evaluation(services.stores, found)
    name = f"{evaluation.benchmark.removeprefix(PREFIX)} {evaluation.model} {which.value}.{ending}"
    if ending == "csv":
        return file_response(csv_rows(services.stores.attempts, evaluation), name=name, media_type=CSV)
    lines = json_lines(output_lines(services.stores.attempts, evaluation, which))
    return file_response(lines, name=name, media_type=JSONL)
