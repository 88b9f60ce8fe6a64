"""The batch endpoints of the OpenAI API: a batch is a run of one model on one data set."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query

from assay.api.access.actor import CurrentActor, require_control
from assay.api.dependencies import Services
from assay.api.errors import ProblemError
from assay.api.openai_errors import OpenAIRoute, openai_errors
from assay.api.routes.batch.openai_files import input_file
from assay.api.runs.dataset_runs import all_dataset_runs, dataset_run
from assay.api.runs.model_names import registered_name, require_known_models
from assay.api.runs.start import require_no_maintenance, start_run
from assay.api.schemas.batch.openai_batch import Batch, BatchList, BatchRequest
from assay.api.webhooks.delivery import add_webhook, require_webhook_allowed
from assay.domain.datasets.dataset import PREFIX, DataSet
from assay.domain.errors import IllegalTransitionError, InvalidValueError
from assay.domain.run import RunSpec
from assay.engine.datasets.lines import URL
from assay.engine.execution import control
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
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
    ),
)
async def create_batch(request: BatchRequest, services: Services, actor: CurrentActor) -> Batch:
    """Run the model that the lines name, or the one given as `model` in the request or its metadata."""
    require_no_maintenance(services)
    if request.endpoint != URL:
        raise InvalidValueError(f"endpoint must be {URL!r}, not {request.endpoint[:80]!r}")
    dataset = await input_file(services, request.input_file_id)
    model = await registered_name(_model(request, dataset), services, field=_MODEL)
    await require_known_models([model], services.models)
    webhook = request.requested_webhook
    require_webhook_allowed(webhook, services)
    spec = RunSpec(models=(model,), benchmarks=(dataset.benchmark,), labels=request.metadata or {})
    run = await start_run(spec, actor, services)
    await add_webhook(webhook, run, services)
    return Batch.of(await dataset_run(services.stores, f"{_BATCH}{run.id}_0", kind=_BATCH))


@router.get("")
async def list_batches(
    services: Services, after: str | None = None, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> BatchList:
    """All runs on data sets, newest first."""
    found: list[Batch] = []
    is_past = after is None
    wanted = RunFilter(benchmark_prefix=PREFIX, limit=_RUNS_AT_ONCE)
    async for run in all_dataset_runs(services.stores, wanted):
        one = Batch.of(run)
        if is_past:
            found.append(one)
        if len(found) > limit:
            break
        is_past = is_past or one.id == after
    page = tuple(found[:limit])
    return BatchList(
        data=page,
        first_id=page[0].id if page else None,
        last_id=page[-1].id if page else None,
        has_more=len(found) > limit,
    )


@router.get("/{batch_id}", responses=_FOUND)
async def retrieve_batch(batch_id: str, services: Services) -> Batch:
    """One batch, with its state and counts."""
    return Batch.of(await dataset_run(services.stores, batch_id, kind=_BATCH))


@router.post(
    "/{batch_id}/cancel", responses=_FOUND | openai_errors(HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT)
)
async def cancel_batch(batch_id: str, services: Services, actor: CurrentActor) -> Batch:
    """Cancel the batch; stored results stay. 409 if it has already ended."""
    found = await dataset_run(services.stores, batch_id, kind=_BATCH)
    require_control(found.run, actor, services)
    try:
        await control.cancel(services.engine.lifecycle, found.run.id)
    except IllegalTransitionError as error:
        # The words of OpenAI's own answer: programs look for them.
        message = f"Cannot cancel a batch with status '{Batch.of(found).status}'."
        raise ProblemError(HTTPStatus.CONFLICT, message, code=error.code) from error
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
