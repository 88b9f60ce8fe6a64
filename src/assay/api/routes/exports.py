"""Exports of runs, and their verification."""

import asyncio
from collections.abc import Generator
from hashlib import file_digest
from http import HTTPStatus
from tempfile import TemporaryFile
from typing import IO, Annotated

from fastapi import APIRouter, File, Query, UploadFile
from fastapi.responses import Response, StreamingResponse

from assay.adapters.models.providers import shown_url
from assay.api.access.text_access import Access
from assay.api.dependencies import Services
from assay.api.errors import ProblemError, problems
from assay.api.schemas.exports import PublicKey, PublicKeys, VerificationResult
from assay.api.schemas.items import REVEAL
from assay.api.verification import verification
from assay.domain.errors import ConflictError
from assay.engine.exports.content import run_content
from assay.engine.exports.formats import ExportFormat, Paper
from assay.engine.exports.verification.verify import Trust
from assay.engine.suites.suite_text import suite_text

router = APIRouter(prefix="/api", tags=["exports"])

_PIECE = 1 << 18
_FILES: dict[int | str, dict[str, object]] = {
    200: {
        "description": "The file",
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}}
            for kind in dict.fromkeys(one.media_type for one in ExportFormat)
        },
    }
}


@router.get(
    "/runs/{run_id}/export",
    response_class=Response,
    responses=_FILES
    | problems(
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.NOT_IMPLEMENTED,
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
)
async def export_run(
    run_id: str,
    services: Services,
    access: Access,
    wanted: Annotated[ExportFormat, Query(alias="format")] = ExportFormat.CSV,
    paper: Annotated[Paper, Query(description="Page size of the PDF")] = "a4",
    reveal: Annotated[bool, Query(description=REVEAL)] = False,  # noqa: FBT002 # a query parameter is named
) -> Response:
    """Export a run that has ended or is paused, always as the same bytes. 400 while the run changes."""
    try:
        content = await run_content(services.stores, services.catalogue, run_id, reveal=reveal)
    except ConflictError as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, error.message, code=error.code) from error
    for one in content.evaluations:
        access.hides(one.evaluation, reveal=reveal)
    file = TemporaryFile()  # noqa: SIM115 # closed when the response has been sent
    try:
        exported = await services.exports.exporter.export(content, wanted, file, paper=paper)
        size = file.seek(0, 2)
        file.seek(0)
        sha256 = (await asyncio.to_thread(file_digest, file, "sha256")).hexdigest()
    except BaseException:
        file.close()
        raise
    headers = {
        "Content-Disposition": f'attachment; filename="{exported.name}"',
        "Content-Length": str(size),
        "ETag": f'"{sha256}"',
    }
    return StreamingResponse(_pieces(file), media_type=exported.media_type, headers=headers)


@router.get(
    "/runs/{run_id}/suite",
    response_class=Response,
    responses={
        200: {"description": "The suite", "content": {"application/toml": {"schema": {"type": "string"}}}}
    }
    | problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def export_suite(run_id: str, services: Services) -> Response:
    """What the run asked, as a suite for `assay run`; secrets are left out, and folders of the server."""
    run = await services.stores.runs.get(run_id)
    headers = {"Content-Disposition": f'attachment; filename="suite-{run.id[:8]}.toml"'}
    text = suite_text(run, shown=shown_url, paths=False)
    return Response(text, media_type="application/toml", headers=headers)


def _pieces(file: IO[bytes]) -> Generator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


@router.get("/exports/public-key")
async def show_public_key(services: Services) -> PublicKeys:
    """The key that verifies exports of this server; compare it with the one that its publisher states."""
    keys = tuple(map(PublicKey.of, services.exports.known_keys()))
    current = keys[0]
    return PublicKeys(
        key_id=current.key_id,
        public_key=current.public_key,
        public_key_fingerprint=current.fingerprint,
        fingerprint=current.fingerprint,
        keys=keys,
    )


@router.post(
    "/exports/verify",
    responses=problems(
        HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY
    ),
)
async def verify_export(
    services: Services, file: Annotated[UploadFile, File(description="A signed export")]
) -> VerificationResult:
    """Verify an export with the keys of this server. Problems are in the result, with status 200."""
    service = services.exports
    trust = Trust(frozenset(key.fingerprint for key in service.known_keys()))
    return await verification(file.file, service.is_signed_by, trust)
