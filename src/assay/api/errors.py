"""Errors as RFC 9457 problem details: one table from error class to HTTP status."""

from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from assay.api.schemas.problem import FieldProblem, Problem
from assay.domain.errors import (
    AssayError,
    BudgetReachedError,
    ConflictError,
    DataGatedError,
    DataMissingError,
    EndpointError,
    IllegalTransitionError,
    InvalidValueError,
    MissingExtraError,
    StoreError,
    UnknownNameError,
    UsageError,
)

PROBLEM_TYPE = "application/problem+json"

# The nearest ancestor of an error decides.
STATUS: Mapping[type[AssayError], HTTPStatus] = {
    UnknownNameError: HTTPStatus.NOT_FOUND,
    InvalidValueError: HTTPStatus.UNPROCESSABLE_ENTITY,
    ConflictError: HTTPStatus.CONFLICT,
    IllegalTransitionError: HTTPStatus.CONFLICT,
    BudgetReachedError: HTTPStatus.CONFLICT,
    DataMissingError: HTTPStatus.CONFLICT,
    DataGatedError: HTTPStatus.FORBIDDEN,
    MissingExtraError: HTTPStatus.NOT_IMPLEMENTED,
    UsageError: HTTPStatus.BAD_REQUEST,
    EndpointError: HTTPStatus.BAD_GATEWAY,
    StoreError: HTTPStatus.SERVICE_UNAVAILABLE,
    AssayError: HTTPStatus.INTERNAL_SERVER_ERROR,
}

Responses = dict[int | str, dict[str, object]]


def problems(*statuses: HTTPStatus) -> Responses:
    """The error responses of an endpoint, for its OpenAPI description."""
    return {int(status): {"model": Problem, "description": status.phrase} for status in statuses}


def install_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(AssayError, _on_assay_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(Exception, _on_bug)


def status_of(error: AssayError) -> HTTPStatus:
    return next(STATUS[ancestor] for ancestor in type(error).__mro__ if ancestor in STATUS)


def _respond(request: Request, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    located = problem.model_copy(update={"instance": request.url.path})
    return Response(
        located.model_dump_json(exclude_none=True),
        status_code=problem.status,
        media_type=PROBLEM_TYPE,
        headers=headers,
    )


def _problem(
    status: HTTPStatus, detail: str, *, code: str, errors: list[FieldProblem] | None = None
) -> Problem:
    return Problem(title=status.phrase, status=int(status), detail=detail, code=code, errors=errors)


# Starlette types a handler by the base class of all exceptions, hence the assertions below.
async def _on_assay_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AssayError)  # noqa: S101
    return _respond(request, _problem(status_of(error), error.message, code=error.code))


async def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    fields = [
        FieldProblem(field=".".join(str(part) for part in one["loc"][1:]) or "body", message=one["msg"])
        for one in error.errors()
    ]
    detail = "; ".join(f"{one.field}: {one.message}" for one in fields)
    problem = _problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, code="invalid-request", errors=fields)
    return _respond(request, problem)


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    status = HTTPStatus(error.status_code)
    detail = f"nothing at {request.url.path!r}" if status is HTTPStatus.NOT_FOUND else str(error.detail)
    code = status.phrase.lower().replace(" ", "-")
    return _respond(request, _problem(status, detail, code=code), error.headers)


async def _on_bug(request: Request, _error: Exception) -> Response:
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    detail = "the server made a mistake; its log has the details"
    return _respond(request, _problem(status, detail, code="internal"))
