"""The files of a run of the code catalogue, made from what is stored."""

import json
import re
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, Response

from assay.api.dependencies import Services
from assay.api.errors import ProblemError, Responses, problems
from assay.api.harness.ids import RunIdPath
from assay.api.schemas.fields import plain_json
from assay.domain.errors import UnknownNameError
from assay.domain.json_value import Json
from assay.engine.code_harness.artifacts import attempt_files
from assay.engine.code_harness.attempts import CodeAttempt
from assay.engine.code_harness.summary import (
    CodeRun,
    attempt_manifest,
    attempts_document,
    code_run,
    summary_document,
)
from assay.engine.stores import Stores

router = APIRouter(prefix="/artifacts", tags=["code harness"])

_PATH: Final = re.compile(r"[A-Za-z0-9_=-][A-Za-z0-9._=-]*(/[A-Za-z0-9_=-][A-Za-z0-9._=-]*)?")
_RUN_FOLDER: Final = re.compile(r"run_\d{8}T\d{6}Z_([0-9a-f]{6})")
_JSON: Final = "application/json"
_TEXT: Final = "text/plain"
_FILES: Final[Responses] = {
    200: {
        "description": "The file",
        "content": {_TEXT: {"schema": {"type": "string"}}, _JSON: {"schema": {}}},
    }
}


@router.get(
    "/{run_id}/{path:path}",
    response_class=Response,
    responses=_FILES
    | problems(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def show_artifact(run_id: RunIdPath, path: str, services: Services) -> Response:
    """A file of the run's folder, as plain text or JSON; the run by its id or by the name of its folder."""
    if _PATH.fullmatch(path) is None:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "no file has such a path", code="bad-id")
    folder = _RUN_FOLDER.fullmatch(run_id)
    found = await code_run(services.stores, folder[1] if folder else run_id)
    name, _, file = path.rpartition("/")
    content = await _attempt_file(services.stores, found, name, file) if name else _run_file(found, file)
    if content is None or (folder and found.folder != run_id):
        raise UnknownNameError("file of this run", path)
    media_type = _JSON if path.endswith(".json") else f"{_TEXT}; charset=utf-8"
    return Response(content.encode("utf-8", "replace"), media_type=media_type)


def _run_file(found: CodeRun, name: str) -> str | None:
    documents = {
        "summary.json": summary_document,
        "attempts.json": attempts_document,
        "manifest.json": attempt_manifest,
    }
    return _json_text(documents[name](found)) if name in documents else None


async def _attempt_file(stores: Stores, found: CodeRun, folder: str, name: str) -> str | None:
    for one in found.attempts:
        if one.folder == folder:
            attempt = await stores.attempts.get(one.evaluation.id, one.attempt.key)
            return attempt_files(CodeAttempt(one.evaluation, attempt, folder)).get(name)
    return None


def _json_text(value: Json) -> str:
    return json.dumps(plain_json(value), indent=2, ensure_ascii=False) + "\n"
