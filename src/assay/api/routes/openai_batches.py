"""The batch endpoints of the OpenAI API: a batch is a run of one model on one data set."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query

from assay.api.access.actor import CurrentActor, require_control
from assay.api.dependencies import Services
from assay.api.errors import ProblemError
from assay.api.openai_errors import OpenAIRoute, openai_errors
from assay.api.routes.openai_files import input_file
from assay.api.runs.dataset_runs import dataset_run, dataset_runs
from assay.api.runs.model_names import require_known_models
from assay.api.schemas.openai_batch import Batch, BatchList, BatchRequest
from assay.domain.dataset import PREFIX, DataSet
from assay.domain.errors import InvalidValueError
from assay.domain.run import RunSpec
from assay.engine.datasets.lines import URL
from assay.engine.execution import control
from assay.engine.execution.create import Caller, create_run
from assay.engine.stores.runs import RunFilter

router = APIRouter(
    prefix="/v1/batches",
    tags=["OpenAI batch"],
    route_class=OpenAIRoute,
    responses=openai_errors(HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY),
)

_BATCH: Final = "batch_"
_MODEL: Final = "model"
_RUNS_AT_ONCE: Final = 100
_FOUND: Final = openai_errors(HTTPStatus.NOT_FOUND)


@router.post(
    "",
    responses=openai_errors(
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.BAD_GATEWAY,
    ),
)
async def create_batch(request: BatchRequest, services: Services, actor: CurrentActor) -> Batch:
    """Run the model that the lines name, or the one given as `model` in the request or its metadata."""
    if services.maintenance.is_on:
        detail = services.maintenance.message
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, code="maintenance")
    if request.endpoint != URL:
        raise InvalidValueError(f"endpoint must be {URL!r}, not {request.endpoint[:80]!r}")
    dataset = await input_file(services, request.input_file_id)
    model = _model(request, dataset)
    await require_known_models([model], services.models)
    spec = RunSpec(models=(model,), benchmarks=(dataset.benchmark,), labels=request.metadata or {})
    run = await create_run(services.engine, spec, Caller(owner=actor.owner))
    return Batch.of(await dataset_run(services.stores, f"{_BATCH}{run.id}_0", kind=_BATCH))


@router.get("")
async def list_batches(
    services: Services, after: str | None = None, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> BatchList:
    """All runs on data sets, newest first."""
    found: list[Batch] = []
    is_past = after is None
    offset = total = 0
    while len(found) <= limit and offset <= total:
        wanted = RunFilter(benchmark_prefix=PREFIX, limit=_RUNS_AT_ONCE, offset=offset)
        page, total = await dataset_runs(services.stores, wanted)
        for one in map(Batch.of, page):
            if is_past:
                found.append(one)
            is_past = is_past or one.id == after
        offset += _RUNS_AT_ONCE
    page = tuple(found[:limit])
    return BatchList(
        data=page,
        first_id=page[0].id if page else None,
        last_id=page[-1].id if page else None,
        has_more=len(found) > limit,
    )


@router.get("/{batch_id}", responses=_FOUND)
async def retrieve_batch(batch_id: str, services: Services) -> Batch:
    return Batch.of(await dataset_run(services.stores, batch_id, kind=_BATCH))


@router.post(
    "/{batch_id}/cancel", responses=_FOUND | openai_errors(HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT)
)
async def cancel_batch(batch_id: str, services: Services, actor: CurrentActor) -> Batch:
    """Cancel the batch; stored results stay. 409 if it has already ended."""
    found = await dataset_run(services.stores, batch_id, kind=_BATCH)
    require_control(found.run, actor, services)
    await control.cancel(services.engine.lifecycle, found.run.id)
    return Batch.of(await dataset_run(services.stores, batch_id, kind=_BATCH))


def _model(request: BatchRequest, dataset: DataSet) -> str:
    named = request.model or (request.metadata or {}).get(_MODEL)
    if named:
        return named
    if len(dataset.models) == 1:
        return dataset.models[0]
    models = ", ".join(map(repr, dataset.models)) or "none"
    raise InvalidValueError(
        f"a batch runs one model, but the lines name {models}: give one in metadata as {_MODEL!r}"
    )
