"""The file endpoints of the OpenAI API: uploads are data sets, downloads are results."""

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from assay.api.access.actor import CurrentActor, require_owner
from assay.api.dependencies import ApiServices, Services
from assay.api.errors import Responses
from assay.api.openai_errors import OpenAIRoute, openai_errors
from assay.api.routes.batch.datasets import upload_form, uploaded
from assay.api.runs.dataset_runs import dataset_run, whole_evaluation
from assay.api.schemas.batch.dataset_runs import DatasetRun
from assay.api.schemas.batch.openai_batch import DeletedFile, FileList, FileObject, file_id, seconds
from assay.api.streams import JSONL, file_response, json_lines
from assay.domain.datasets.dataset import DataSet, DatasetId
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.engine.results.batch_output import Which, output_lines

router = APIRouter(
    prefix="/v1/files",
    tags=["OpenAI batch"],
    route_class=OpenAIRoute,
    responses=openai_errors(HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY),
)

_FILE: Final = "file-"
_PURPOSE: Final = {"type": "string", "enum": ["batch"], "description": "What the file is for"}
_RESULTS: Final = {"file-output-": Which.OUTPUT, "file-errors-": Which.ERRORS}
_CONTENT: Final[Responses] = {
    200: {"description": "The file", "content": {JSONL: {"schema": {"type": "string"}}}}
}
_FOUND: Final = openai_errors(HTTPStatus.NOT_FOUND)


@router.post(
    "",
    openapi_extra=upload_form(purpose=_PURPOSE),
    responses=openai_errors(
        HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    ),
)
async def create_file(request: Request, services: Services, actor: CurrentActor) -> FileObject:
    """Validate a file line by line and store it as a data set; `purpose` must be `batch`."""
    dataset, _report = await uploaded(request, services, actor, required_fields={"purpose": "batch"})
    return FileObject.of(dataset)


@router.get("")
async def list_files(
    services: Services,
    purpose: str | None = None,
    after: str | None = None,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 10_000,
) -> FileList:
    """The uploaded files, newest first; result files are named in their batches."""
    found = [] if purpose not in (None, "batch") else list(await services.stores.datasets.list())
    if after is not None:
        found = found[1 + next((n for n, one in enumerate(found) if file_id(one) == after), len(found)) :]
    page = tuple(FileObject.of(one) for one in found[:limit])
    return FileList(
        data=page,
        first_id=page[0].id if page else None,
        last_id=page[-1].id if page else None,
        has_more=len(found) > limit,
    )


@router.get("/{file_id}", responses=_FOUND)
async def retrieve_file(file_id: str, services: Services) -> FileObject:
    """An uploaded file, or a result file of a batch that has ended."""
    which = _which(file_id)
    if which is None:
        return FileObject.of(await input_file(services, file_id))
    found = await _finished(services, file_id)
    size = 0
    async for line in await _lines(services, found, which):
        size += len(line)
    return FileObject(
        id=file_id,
        bytes=size,
        created_at=seconds(found.evaluation.finished_at or found.run.created_at),
        filename=f"{file_id}.jsonl",
        purpose="batch_output",
    )


@router.get("/{file_id}/content", response_class=Response, responses=_CONTENT | _FOUND)
async def retrieve_file_content(file_id: str, services: Services) -> Response:
    """The lines of a file."""
    which = _which(file_id)
    if which is None:
        dataset = await input_file(services, file_id)
        content = _pieces(services, dataset)
        return file_response(content, name=dataset.file_name, media_type=JSONL)
    found = await _finished(services, file_id)
    return file_response(await _lines(services, found, which), name=f"{file_id}.jsonl", media_type=JSONL)


@router.delete("/{file_id}", responses=_FOUND | openai_errors(HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT))
async def delete_file(file_id: str, services: Services, actor: CurrentActor) -> DeletedFile:
    """Delete a data set; result files belong to their run and cannot be deleted."""
    if _which(file_id) is not None:
        raise InvalidValueError(f"{file_id!r} is the result of a batch and cannot be deleted")
    dataset = await input_file(services, file_id)
    require_owner(actor, dataset.owner, f"the file {file_id!r}")
    await services.engine.uploads.remove(dataset)
    return DeletedFile(id=file_id)


async def input_file(services: ApiServices, file_id: str) -> DataSet:
    """The data set behind the id of an uploaded file; raises UnknownNameError."""
    if not file_id.startswith(_FILE):
        raise UnknownNameError("file", file_id)
    return await services.stores.datasets.get(DatasetId(file_id.replace(_FILE, "ds_", 1)))


def _which(file_id: str) -> Which | None:
    return next((which for kind, which in _RESULTS.items() if file_id.startswith(kind)), None)


async def _finished(services: ApiServices, file_id: str) -> DatasetRun:
    kind = next(kind for kind in _RESULTS if file_id.startswith(kind))
    found = await dataset_run(services.stores, file_id, kind=kind)
    if not found.evaluation.state.is_final:
        raise UnknownNameError("file", file_id, remedy="its batch has not ended")
    return found


async def _lines(services: ApiServices, found: DatasetRun, which: Which) -> AsyncIterator[bytes]:
    evaluation = await whole_evaluation(services.stores, found)
    return json_lines(output_lines(services.stores.attempts, evaluation, which))


async def _pieces(services: ApiServices, dataset: DataSet) -> AsyncIterator[bytes]:
    # In a thread: it may have to be copied from the object store first.
    pieces = await asyncio.to_thread(services.engine.planner.dataset_files.content, dataset.sha256)
    for piece in pieces:
        yield piece
