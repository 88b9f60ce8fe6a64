"""Data sets of users, in the contract of the batch UI."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from assay.api.access.actor import Actor, CurrentActor, require_owner
from assay.api.dependencies import ApiServices, Services
from assay.api.errors import PROBLEM_TYPE, Responses, invalid, problems
from assay.api.schemas.batch.datasets import (
    Dataset,
    DatasetList,
    DatasetPreview,
    DatasetProblem,
    DeletedDataset,
    UploadedDataset,
    Validation,
)
from assay.api.upload import received_file
from assay.domain.dataset_report import Grading, Report
from assay.domain.datasets.dataset import DataSet, DatasetId, Line
from assay.domain.errors import BadDatasetError, InvalidValueError
from assay.domain.json_value import Json
from assay.engine.datasets.files import FieldNames
from assay.engine.datasets.uploads import Upload
from assay.engine.graders.rules.reading import default_grader

router = APIRouter(prefix="/admin/datasets", tags=["data sets"])

_FORM_FIELDS: Final[dict[str, Any]] = {
    "file": {"type": "string", "format": "binary", "description": "JSONL in UTF-8, or CSV with a header"},
    "name": {"type": "string", "description": "By default derived from the name of the file"},
    "grader": {
        "type": "string",
        "description": "For lines with `expected` but no grader; `exact` by default. A grader's name, or JSON"
        " with its options, or a list of graders with weights",
    },
    "prompt_field": {
        "type": "string",
        "description": "The field or column that holds the prompt, if not `prompt`",
    },
    "answer_field": {
        "type": "string",
        "description": "The one that holds the expected answer, if not `expected`",
    },
}


def upload_form(**required: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI description of a form with a file; `required` are fields that it must have beside it."""
    schema = {
        "type": "object",
        "required": ["file", *required],
        "properties": _FORM_FIELDS | required,
    }
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


_BAD_FILE: Final[Responses] = {
    400: {"model": DatasetProblem, "description": "The file is not a valid data set; nothing was stored"}
}


@router.post(
    "/upload",
    openapi_extra=upload_form(),
    response_model=UploadedDataset,
    responses=_BAD_FILE
    | problems(HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def upload_dataset(
    request: Request, services: Services, actor: CurrentActor
) -> Response | UploadedDataset:
    """Validate a file line by line and store it; a known name gets a new version.

    403 if `name` is that of another user's data set; a name that is derived from the file gets an ending.
    """
    try:
        dataset, report = await uploaded(request, services, actor)
    except BadDatasetError as error:
        return _refusal(request, error)
    return UploadedDataset.with_report(dataset, report)


async def uploaded(
    request: Request, services: ApiServices, actor: Actor, *, required_fields: Mapping[str, str] | None = None
) -> tuple[DataSet, Report]:
    """Store an uploaded file; raises BadDatasetError. After any error nothing of the file is left."""
    file = services.engine.planner.dataset_files.new()
    try:
        form = await received_file(request, file.write)
        for field, value in (required_fields or {}).items():
            if form.fields.get(field) != value:
                raise invalid(field, f"must be {value!r}")
        told = {name: value for name, value in form.fields.items() if value}
        grading, rule = _grading(told.get("grader"))
        upload = Upload(
            form.file_name,
            name=told.get("name"),
            grading=grading,
            fields=FieldNames(told.get("prompt_field"), told.get("answer_field"), rule),
            owner=actor.owner,
            is_operator=actor.is_admin and actor.owner is None,
        )
        return await services.engine.uploads.store(file, upload)
    finally:
        file.close()


@router.get("")
async def list_datasets(services: Services) -> DatasetList:
    """All versions of all data sets, newest first."""
    return DatasetList(datasets=tuple(Dataset.of(one) for one in await services.stores.datasets.list()))


@router.get("/{dataset_id}", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_dataset(dataset_id: str, services: Services) -> Dataset:
    """One version of a data set."""
    return Dataset.of(await services.stores.datasets.get(DatasetId(dataset_id)))


@router.get(
    "/{dataset_id}/preview", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
)
async def preview_dataset(
    dataset_id: str,
    services: Services,
    limit: Annotated[int, Query(ge=1, le=100, description="Lines on a page")] = 20,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> DatasetPreview:
    """A page of its lines, and the warnings of its upload."""
    dataset = await services.stores.datasets.get(DatasetId(dataset_id))

    def page() -> list[Line]:
        lines = services.engine.planner.dataset_files.open(dataset.sha256)
        return [lines.line(one, grading=dataset.grading) for one in lines.ids()[offset : offset + limit]]

    return DatasetPreview.of(dataset, await asyncio.to_thread(page))


@router.delete(
    "/{dataset_id}",
    responses=problems(
        HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY
    ),
)
async def delete_dataset(dataset_id: str, services: Services, actor: CurrentActor) -> DeletedDataset:
    """Delete one version; the results of its runs stay. 409 while a run needs it."""
    dataset = await services.stores.datasets.get(DatasetId(dataset_id))
    require_owner(actor, dataset.owner, f"the data set {dataset.name!r}")
    await services.engine.uploads.remove(dataset)
    return DeletedDataset(id=dataset.id)


def _grading(text: str | None) -> tuple[Grading, Json]:
    try:
        return default_grader(text or Grading.EXACT)
    except InvalidValueError as error:
        raise invalid("grader", error.message) from error


def _refusal(request: Request, error: BadDatasetError) -> Response:
    problem = DatasetProblem(
        title=HTTPStatus.BAD_REQUEST.phrase,
        status=HTTPStatus.BAD_REQUEST,
        detail=error.message,
        message=error.message,
        code=error.code,
        instance=request.url.path,
        validation=Validation.of(error.report),
    )
    return JSONResponse(
        problem.model_dump(mode="json", exclude_none=True), HTTPStatus.BAD_REQUEST, media_type=PROBLEM_TYPE
    )
