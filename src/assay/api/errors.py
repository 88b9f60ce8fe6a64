"""Errors as RFC 9457 problem details, with one table from error class to HTTP status."""

import logging
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from assay.api.schemas.fields import FieldProblem, Problem
from assay.api.wording import in_words_of_the_api
from assay.domain.errors import (
    AssayError,
    BudgetReachedError,
    ConflictError,
    DataGatedError,
    DataMissingError,
    EndpointError,
    IllegalTransitionError,
    InvalidValueError,
    LimitReachedError,
    MissingExtraError,
    NeedsSetupError,
    NotTheOwnerError,
    SandboxUnavailableError,
    SigningKeyMissingError,
    StoreError,
    UnknownNameError,
    UsageError,
)

PROBLEM_TYPE = "application/problem+json"

# The nearest base class of an error decides.
STATUS: Mapping[type[AssayError], HTTPStatus] = {
    UnknownNameError: HTTPStatus.NOT_FOUND,
    InvalidValueError: HTTPStatus.UNPROCESSABLE_ENTITY,
    ConflictError: HTTPStatus.CONFLICT,
    NotTheOwnerError: HTTPStatus.FORBIDDEN,
    LimitReachedError: HTTPStatus.TOO_MANY_REQUESTS,
    IllegalTransitionError: HTTPStatus.CONFLICT,
    BudgetReachedError: HTTPStatus.CONFLICT,
    NeedsSetupError: HTTPStatus.CONFLICT,
    DataMissingError: HTTPStatus.CONFLICT,
    DataGatedError: HTTPStatus.FORBIDDEN,
    MissingExtraError: HTTPStatus.NOT_IMPLEMENTED,
    SandboxUnavailableError: HTTPStatus.NOT_IMPLEMENTED,
    SigningKeyMissingError: HTTPStatus.SERVICE_UNAVAILABLE,
    UsageError: HTTPStatus.BAD_REQUEST,
    EndpointError: HTTPStatus.BAD_GATEWAY,
    StoreError: HTTPStatus.SERVICE_UNAVAILABLE,
    AssayError: HTTPStatus.INTERNAL_SERVER_ERROR,
}

# Python 3.13 renamed these; responses must not depend on the version of Python.
_PHRASES = {
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "Content Too Large",
    HTTPStatus.UNPROCESSABLE_ENTITY: "Unprocessable Content",
}
_JSON_TYPE = re.compile(r"\s*application/([\w.-]+\+)?json\s*(;|$)", re.IGNORECASE)
_logger = logging.getLogger(__name__)
_PYDANTIC_PREFIX = "Value error, "

Responses = dict[int | str, dict[str, object]]


class ProblemError(Exception):
    """An error that exists only over HTTP, with its status."""

    def __init__(
        self,
        status: HTTPStatus,
        detail: str,
        *,
        code: str,
        errors: Sequence[FieldProblem] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.problem = _problem(status, in_words_of_the_api(detail), code=code, errors=list(errors) or None)
        self.headers = headers


def invalid(field: str, message: str) -> ProblemError:
    """An invalid field of the request."""
    return invalid_fields([FieldProblem(field=field, message=message)])


def invalid_fields(wrong: Sequence[FieldProblem]) -> ProblemError:
    fields = [FieldProblem(field=one.field, message=in_words_of_the_api(one.message)) for one in wrong]
    detail = "; ".join(f"{one.field}: {one.message}" for one in fields)
    return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, detail, code="invalid-request", errors=fields)


def problems(*statuses: HTTPStatus) -> Responses:
    """The error responses of an endpoint, for its OpenAPI description."""
    return {int(status): {"model": Problem, "description": phrase(status)} for status in statuses}


def install_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(AssayError, _on_assay_error)
    app.add_exception_handler(ProblemError, _on_problem)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(ClientDisconnect, _on_disconnect)
    app.add_exception_handler(Exception, _on_bug)


def status_of(error: AssayError) -> HTTPStatus:
    return next(STATUS[ancestor] for ancestor in type(error).__mro__ if ancestor in STATUS)


def shown_message(error: AssayError, request: Request) -> str:
    """The message in terms of the API; admins alone are told which database failed, where and for whom."""
    if isinstance(error, StoreError):
        _logger.warning("%s: %s", request.url.path, error.message)
    message = error.message if getattr(request.state, "is_admin", False) else error.public_message
    return in_words_of_the_api(message)


def problem_response(path: str, error: ProblemError) -> Response:
    return _response(path, error.problem, error.headers)


def _response(path: str, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    located = Problem.model_validate(problem.model_dump() | {"instance": path})
    return Response(
        located.model_dump_json(exclude_none=True),
        status_code=problem.status,
        media_type=PROBLEM_TYPE,
        headers=headers,
    )


def _respond(request: Request, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    return _response(request.url.path, problem, headers)


def _problem(
    status: HTTPStatus, detail: str, *, code: str, errors: list[FieldProblem] | None = None
) -> Problem:
    return Problem(title=phrase(status), status=int(status), detail=detail, code=code, errors=errors)


def phrase(status: HTTPStatus) -> str:
    return _PHRASES.get(status, status.phrase)


# Starlette types a handler by the base class of all exceptions, hence the assertions below.
async def _on_assay_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AssayError)  # noqa: S101
    return _respond(request, _problem(status_of(error), shown_message(error, request), code=error.code))


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)  # noqa: S101
    return _respond(request, error.problem, error.headers)


async def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    if (detail := unreadable_body(request, error)) is not None:
        return _respond(request, _problem(HTTPStatus.BAD_REQUEST, detail, code="bad-request"))
    fields = [
        FieldProblem(
            field=".".join(str(part) for part in one["loc"][1:]) or "body",
            message=one["msg"].removeprefix(_PYDANTIC_PREFIX),
        )
        for one in error.errors()
    ]
    return _respond(request, invalid_fields(fields).problem)


def unreadable_body(request: Request, error: RequestValidationError) -> str | None:
    """Why the body is no JSON object at all; None if only fields of it are invalid."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        text, position = str(error.body), int(first["loc"][-1])
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        reason = first["ctx"]["error"]
        return f"the body is not JSON: {reason} at line {line}, column {column}"
    given = request.headers.get("content-type", "")
    is_json = _JSON_TYPE.match(given) is not None
    if tuple(first["loc"]) == ("body",) and isinstance(error.body, bytes | str) and not is_json:
        sent = f"not {given[:80]!r}" if given else "which is missing"
        return f"send the body as JSON with the header 'Content-Type: application/json', {sent}"
    return None


def http_detail(error: HTTPException) -> str:
    """What FastAPI found wrong; of a body that it could not read, also why."""
    cause = error.__cause__
    if isinstance(cause, UnicodeDecodeError):
        return f"the body is not UTF-8: {cause.reason} at byte {cause.start}"
    if isinstance(cause, RecursionError):
        return "the body is nested too deeply"
    return str(error.detail)


def code_of(status: HTTPStatus) -> str:
    return phrase(status).lower().replace(" ", "-")


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    status = HTTPStatus(error.status_code)
    detail = http_detail(error)
    if status is HTTPStatus.NOT_FOUND:
        detail = f"there is nothing at {request.url.path!r}"
    code = code_of(status)
    headers = error.headers
    if status is HTTPStatus.METHOD_NOT_ALLOWED and (methods := _methods(request)):
        headers = {"Allow": ", ".join(sorted(methods))}
    return _respond(request, _problem(status, detail, code=code), headers)


def _methods(request: Request) -> set[str]:
    """The methods of all routes at this path; the route that refused the request has only its own."""
    routes: tuple[APIRoute, ...] = request.app.state.routes
    path = request.url.path
    return {method for route in routes if route.path_regex.match(path) for method in route.methods or ()}


async def _on_disconnect(request: Request, _error: Exception) -> Response:
    """The caller disconnected while sending; nobody receives the response, and it is not worth logging."""
    status = HTTPStatus.BAD_REQUEST
    return _respond(request, _problem(status, "the request was cut off", code="bad-request"))


async def _on_bug(request: Request, _error: Exception) -> Response:
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    detail = "internal error; the log of the server has the details"
    return _respond(request, _problem(status, detail, code="internal"))
